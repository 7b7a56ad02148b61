// The server and the fake provider for tests in other languages. Prints their addresses as one line of JSON,
// and stops both when its standard input is closed.

import { Provider } from './provider.js';
import { Server } from './server.js';

const provider = await Provider.start();
const server = await Server.start({ settings: provider.settings });
console.log(JSON.stringify({ url: server.url, token: await server.token(), provider: provider.url.replace(/\/v1$/, '') }));
process.stdin.resume();
process.stdin.on('close', async () => {
  provider.close();
  await server.remove();
  process.exit(0);
});
