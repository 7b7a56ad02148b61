const cents = (amount) => Math.round(amount * 100) / 100;

const rate = {
  type: "number",
  minimum: 0,
  maximum: 1,
  description: "The rate, for example 0.19 for 19 %",
};

const functions = {
  add_vat: {
    description: "The gross price of a net price.",
    parameters: {
      type: "object",
      properties: { net: { type: "number" }, rate },
      required: ["net", "rate"],
      additionalProperties: false,
    },
    run({ net, rate }) {
      return { gross: cents(net * (1 + rate)), vat: cents(net * rate) };
    },
  },
  remove_vat: {
    description: "The net price of a gross price.",
    parameters: {
      type: "object",
      properties: { gross: { type: "number" }, rate },
      required: ["gross", "rate"],
      additionalProperties: false,
    },
    run({ gross, rate }) {
      const net = cents(gross / (1 + rate));
      return { net, vat: cents(gross - net) };
    },
  },
};
