import './app.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { startRouter } from './router.svelte';
import { restoreLook } from './look.svelte';

restoreLook();
startRouter();
const target = document.getElementById('app');
if (target) mount(App, { target });
