const skill = {
  name: "Tickets",
  description: "Keeps a list of tickets with the assistant. Use it to note a problem, or to see which are open.",
  instructions:
    "Note a problem with `open_ticket` as soon as somebody reports one, and tell its number. " +
    "Before that, look with `open_tickets` whether it is known.",
  services: ["data"],
};

const functions = {
  open_ticket: {
    description: "Notes a problem.",
    parameters: {
      type: "object",
      properties: {
        title: { type: "string", minLength: 3 },
        severity: { enum: ["low", "high"] },
      },
      required: ["title", "severity"],
      additionalProperties: false,
    },
    async run({ title, severity }, host) {
      const ticket = await host.data.create({ title, severity, state: "open" });
      host.log(`noted ${title}`);
      return { id: ticket.id };
    },
  },
  open_tickets: {
    description: "The tickets that are open.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    async run(_, host) {
      const filter = [{ field: "state", op: "eq", value: "open" }];
      return host.data.query({ filter, limit: 50 });
    },
  },
};
