import { $document, append, await_block, child, comment, deferred_template_effect, event, first_child, from_html, get, head, if_block, next, noop, onMount, only_child, pop, proxy, push, reset, set, set_attribute, set_text, sibling, snippet, state, template_effect, text, user_derived } from "./vendor.js";
import { ApiProblem, Button, Field, Logo, ProblemNote, StatePanel, Submission, call, enter, href, navigate, router, t } from "./parts.js";
// src/account/Card.svelte
var root$3 = from_html("<p class=\"text svelte-ce8inh\"> </p>"), root_1$3 = from_html("<div class=\"below svelte-ce8inh\"><!></div>"), root_2$2 = from_html("<div class=\"page-grid svelte-ce8inh\"><main class=\"svelte-ce8inh\"><a class=\"brand svelte-ce8inh\"><!> </a> <h1 class=\"svelte-ce8inh\"> </h1> <!> <!> <!></main></div>");
function Card($$anchor, $$props) {
	push($$props, !0);
	var div = root_2$2();
	head("ce8inh", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${$$props.title ?? ""} · ${t.common.product ?? ""}`;
		});
	});
	var main = child(div), a = child(main), node = child(a);
	Logo(node, { size: 32 });
	var text_1 = sibling(node, 1, !0);
	reset(a);
	var h1 = sibling(a, 2), text_2 = only_child(h1, !0), node_1 = sibling(h1, 2), consequent = ($$anchor) => {
		var p = root$3(), text_3 = only_child(p, !0);
		template_effect(() => set_text(text_3, $$props.text)), append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		$$props.text && $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	snippet(node_2, () => $$props.children ?? noop);
	var node_3 = sibling(node_2, 2), consequent_1 = ($$anchor) => {
		var div_1 = root_1$3(), node_4 = child(div_1);
		snippet(node_4, () => $$props.below), reset(div_1), append($$anchor, div_1);
	};
	if_block(node_3, ($$render) => {
		$$props.below && $$render(consequent_1);
	}), reset(main), reset(div), template_effect(($0) => {
		set_attribute(a, "href", $0), set_text(text_1, t.common.product), set_text(text_2, $$props.title);
	}, [() => href("/")]), append($$anchor, div), pop();
}
// src/account/Forgotten.svelte
var root$2 = from_html("<a> </a>"), root_1$2 = from_html("<div class=\"no-mail svelte-1vadfc5\" role=\"alert\"><p> </p> <code class=\"svelte-1vadfc5\"> </code></div>"), root_2$1 = from_html("<form><!> <!> <!></form>");
function Forgotten($$anchor, $$props) {
	push($$props, !0);
	let email = state(""), sent = state(!1), submission = new Submission(), noMail = user_derived(() => submission.problem instanceof ApiProblem && submission.problem.code === "mail_missing");
	function send(event) {
		event.preventDefault(), submission.run(async () => {
			await call("auth.forgot_password", { body: { email: get(email) } }), set(sent, !0);
		});
	}
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => t.password.sentText(get(email)));
			Card($$anchor, {
				get title() {
					return t.password.sent;
				},
				get text() {
					return get($0);
				},
				children: ($$anchor, $$slotProps) => {
					var a = root$2(), text = only_child(a, !0);
					template_effect(($0) => {
						set_attribute(a, "href", $0), set_text(text, t.join.toSignIn);
					}, [() => href("/login")]), append($$anchor, a);
				},
				$$slots: { default: !0 }
			});
		}
	}, alternate = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.password.forgottenTitle;
			},
			get text() {
				return t.password.forgottenText;
			},
			below: ($$anchor) => {
				var a_1 = root$2(), text_1 = only_child(a_1, !0);
				template_effect(($0) => {
					set_attribute(a_1, "href", $0), set_text(text_1, t.join.toSignIn);
				}, [() => href("/login")]), append($$anchor, a_1);
			},
			children: ($$anchor, $$slotProps) => {
				var form = root_2$1(), node_1 = child(form);
				{
					let $0 = user_derived(() => submission.fault("email"));
					Field(node_1, {
						get label() {
							return t.signIn.email;
						},
						type: "email",
						name: "email",
						autocomplete: "username",
						required: !0,
						get error() {
							return get($0);
						},
						get value() {
							return get(email);
						},
						set value($$value) {
							set(email, $$value, !0);
						}
					});
				}
				var node_2 = sibling(node_1, 2), consequent_1 = ($$anchor) => {
					var div = root_1$2(), p = child(div), text_2 = only_child(p, !0), code = sibling(p, 2), text_3 = only_child(code);
					reset(div), template_effect(() => {
						set_text(text_2, t.password.noMail), set_text(text_3, `understudy user password ${get(email) ?? ""}`);
					}), append($$anchor, div);
				}, consequent_2 = ($$anchor) => {
					ProblemNote($$anchor, { get problem() {
						return submission.problem;
					} });
				}, d = user_derived(() => submission.besides("email"));
				if_block(node_2, ($$render) => {
					get(noMail) ? $$render(consequent_1) : get(d) && $$render(consequent_2, 1);
				});
				var node_3 = sibling(node_2, 2);
				Button(node_3, {
					type: "submit",
					variant: "primary",
					get busy() {
						return submission.busy;
					},
					children: ($$anchor, $$slotProps) => {
						next();
						var text_4 = text();
						template_effect(() => set_text(text_4, t.password.send)), append($$anchor, text_4);
					},
					$$slots: { default: !0 }
				}), reset(form), event("submit", form, send), append($$anchor, form);
			},
			$$slots: {
				below: !0,
				default: !0
			}
		});
	};
	if_block(node, ($$render) => {
		get(sent) ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/account/Join.svelte
var root$1 = from_html("<form><!> <!> <!> <!> <!></form>"), root_1$1 = from_html("<blockquote class=\"svelte-x2kka7\"> </blockquote>"), root_2 = from_html("<!> <!>", 1), root_3 = from_html("<!> <a> </a>", 1);
function Join($$anchor, $$props) {
	push($$props, !0);
	let form = ($$anchor, send = noop, label = noop, fields = noop) => {
		var form_1 = root$1(), event_handler = user_derived(() => submit(send())), node = child(form_1), consequent = ($$anchor) => {
			{
				let $0 = user_derived(() => submission.fault("email"));
				Field($$anchor, {
					get label() {
						return t.signIn.email;
					},
					type: "email",
					autocomplete: "username",
					required: !0,
					maxlength: 254,
					get error() {
						return get($0);
					},
					get value() {
						return get(email);
					},
					set value($$value) {
						set(email, $$value, !0);
					}
				});
			}
		};
		if_block(node, ($$render) => {
			fields().address && $$render(consequent);
		});
		var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
			{
				let $0 = user_derived(() => submission.fault("display_name"));
				Field($$anchor, {
					get label() {
						return t.join.name;
					},
					autocomplete: "name",
					required: !0,
					maxlength: 100,
					get error() {
						return get($0);
					},
					get value() {
						return get(name);
					},
					set value($$value) {
						set(name, $$value, !0);
					}
				});
			}
		};
		if_block(node_1, ($$render) => {
			fields().name && $$render(consequent_1);
		});
		var node_2 = sibling(node_1, 2);
		{
			let $0 = user_derived(() => fields().isNew ? t.password.new : t.signIn.password), $1 = user_derived(() => fields().isNew ? "new-password" : "current-password"), $2 = user_derived(() => fields().isNew ? 12 : void 0), $3 = user_derived(() => fields().isNew ? t.password.hint : void 0), $4 = user_derived(() => submission.fault("password") ?? submission.fault("new_password"));
			Field(node_2, {
				get label() {
					return get($0);
				},
				type: "password",
				required: !0,
				get autocomplete() {
					return get($1);
				},
				get minlength() {
					return get($2);
				},
				get hint() {
					return get($3);
				},
				get error() {
					return get($4);
				},
				get value() {
					return get(password);
				},
				set value($$value) {
					set(password, $$value, !0);
				}
			});
		}
		var node_3 = sibling(node_2, 2), consequent_2 = ($$anchor) => {
			ProblemNote($$anchor, { get problem() {
				return submission.problem;
			} });
		}, d = user_derived(() => submission.besides("email", "display_name", "password", "new_password"));
		if_block(node_3, ($$render) => {
			get(d) && $$render(consequent_2);
		});
		var node_4 = sibling(node_3, 2);
		Button(node_4, {
			type: "submit",
			variant: "primary",
			get busy() {
				return submission.busy;
			},
			children: ($$anchor, $$slotProps) => {
				next();
				var text$1 = text();
				template_effect(() => set_text(text$1, label())), append($$anchor, text$1);
			},
			$$slots: { default: !0 }
		}), reset(form_1), event("submit", form_1, function(...$$args) {
			get(event_handler)?.apply(this, $$args);
		}), append($$anchor, form_1);
	}, link = new URLSearchParams(router.location.fragment), secret = {
		invitation: link.get("invitation"),
		confirm: link.get("confirm"),
		password: link.get("password"),
		tenant: link.get("tenant")
	};
	onMount(() => {
		Object.values(secret).some(Boolean) ? history.replaceState(null, "", href("/join")) : navigate("/login", { replace: !0 });
	});
	let invitation = secret.invitation ? call("auth.get_invitation", { path: { token: secret.invitation } }) : void 0, email = state(""), name = state(""), password = state(""), result = state(void 0), submission = new Submission();
	function submit(send) {
		return (event) => {
			event.preventDefault(), submission.run(async () => {
				let outcome = await send();
				"status" in outcome ? set(result, outcome.status, !0) : (await enter(outcome), navigate("/", { replace: !0 }));
			});
		};
	}
	let accept = (exists) => () => call("auth.accept_invitation", {
		path: { token: secret.invitation ?? "" },
		body: exists ? { password: get(password) } : {
			display_name: get(name),
			password: get(password)
		}
	}), confirm = () => call("auth.confirm_registration", { body: {
		token: secret.confirm ?? "",
		password: get(password)
	} }), reset$1 = () => call("auth.reset_password", { body: {
		token: secret.password ?? "",
		new_password: get(password)
	} }), register = () => call("auth.register", { body: {
		tenant: secret.tenant ?? "",
		email: get(email),
		display_name: get(name),
		password: get(password)
	} });
	var fragment_4 = comment(), node_5 = first_child(fragment_4), consequent_3 = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.join[get(result)];
			},
			get text() {
				return t.join[`${get(result)}Text`];
			}
		});
	}, consequent_5 = ($$anchor) => {
		var fragment_6 = comment(), node_6 = first_child(fragment_6);
		await_block(node_6, () => invitation, ($$anchor) => {
			StatePanel($$anchor, {
				kind: "loading",
				get title() {
					return t.common.loading;
				}
			});
		}, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { tenant, invited_by, email, message, account_exists } = get($$source);
				return {
					tenant,
					invited_by,
					email,
					message,
					account_exists
				};
			}), tenant = user_derived(() => get($$value).tenant), invited_by = user_derived(() => get($$value).invited_by), email = user_derived(() => get($$value).email), message = user_derived(() => get($$value).message), account_exists = user_derived(() => get($$value).account_exists);
			{
				let $0 = user_derived(() => t.join.title(get(tenant).name)), $1 = user_derived(() => `${t.join.invited(get(invited_by) ?? t.join.someone, get(email))} ${get(account_exists) ? t.join.existing : t.join.newAccount}`);
				Card($$anchor, {
					get title() {
						return get($0);
					},
					get text() {
						return get($1);
					},
					children: ($$anchor, $$slotProps) => {
						var fragment_8 = root_2(), node_7 = first_child(fragment_8), consequent_4 = ($$anchor) => {
							var blockquote = root_1$1(), text_1 = only_child(blockquote, !0);
							template_effect(() => set_text(text_1, get(message))), append($$anchor, blockquote);
						};
						if_block(node_7, ($$render) => {
							get(message) && $$render(consequent_4);
						});
						var node_8 = sibling(node_7, 2);
						{
							let $0 = user_derived(() => accept(get(account_exists)));
							form(node_8, () => get($0), () => t.join.accept, () => get(account_exists) ? {} : {
								name: !0,
								isNew: !0
							});
						}
						append($$anchor, fragment_8);
					},
					$$slots: { default: !0 }
				});
			}
		}, ($$anchor, problem) => {
			Card($$anchor, {
				get title() {
					return t.join.broken;
				},
				get text() {
					return t.join.brokenText;
				},
				children: ($$anchor, $$slotProps) => {
					var fragment_10 = root_3(), node_9 = first_child(fragment_10);
					ProblemNote(node_9, { get problem() {
						return get(problem);
					} });
					var a = sibling(node_9, 2), text_2 = only_child(a, !0);
					template_effect(($0) => {
						set_attribute(a, "href", $0), set_text(text_2, t.join.toSignIn);
					}, [() => href("/login")]), append($$anchor, fragment_10);
				},
				$$slots: { default: !0 }
			});
		}), append($$anchor, fragment_6);
	}, consequent_6 = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.join.confirm;
			},
			get text() {
				return t.join.confirmText;
			},
			children: ($$anchor, $$slotProps) => {
				form($$anchor, () => confirm, () => t.join.continue, () => ({}));
			},
			$$slots: { default: !0 }
		});
	}, consequent_7 = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.password.resetTitle;
			},
			get text() {
				return t.password.resetText;
			},
			children: ($$anchor, $$slotProps) => {
				form($$anchor, () => reset$1, () => t.password.set, () => ({ isNew: !0 }));
			},
			$$slots: { default: !0 }
		});
	}, consequent_8 = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.join.signUp;
			},
			get text() {
				return t.join.signUpText;
			},
			children: ($$anchor, $$slotProps) => {
				form($$anchor, () => register, () => t.join.signUp, () => ({
					address: !0,
					name: !0,
					isNew: !0
				}));
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node_5, ($$render) => {
		get(result) ? $$render(consequent_3) : invitation ? $$render(consequent_5, 1) : secret.confirm ? $$render(consequent_6, 2) : secret.password ? $$render(consequent_7, 3) : secret.tenant && $$render(consequent_8, 4);
	}), append($$anchor, fragment_4), pop();
}
// src/account/SignIn.svelte
var root = from_html("<a> </a> <details class=\"svelte-rukpl5\"><summary class=\"svelte-rukpl5\"> </summary> <p class=\"svelte-rukpl5\"> </p> <p class=\"svelte-rukpl5\"> </p> <code class=\"svelte-rukpl5\">understudy user password admin@localhost</code></details>", 1), root_1 = from_html("<form><!> <!> <!> <!></form>");
function SignIn($$anchor, $$props) {
	push($$props, !0);
	let email = state(proxy(new URLSearchParams(router.location.fragment).get("email") ?? "")), password = state(""), submission = new Submission();
	function signIn(event) {
		event.preventDefault(), submission.run(async () => enter(await call("auth.login", { body: {
			email: get(email),
			password: get(password)
		} })));
	}
	let problem = user_derived(() => {
		let problem = submission.besides("email", "password"), throttled = problem instanceof ApiProblem && problem.status === 429 && problem.retryAfter;
		return throttled ? t.signIn.throttled(Math.ceil(throttled / 60)) : problem;
	});
	Card($$anchor, {
		get title() {
			return t.signIn.title;
		},
		below: ($$anchor) => {
			var fragment_1 = root(), a = first_child(fragment_1), text = only_child(a, !0), details = sibling(a, 2), summary = child(details), text_1 = only_child(summary, !0), p = sibling(summary, 2), text_2 = only_child(p, !0), p_1 = sibling(p, 2), text_3 = only_child(p_1, !0);
			next(2), reset(details), template_effect(($0) => {
				set_attribute(a, "href", $0), set_text(text, t.signIn.forgotten), set_text(text_1, t.signIn.firstStart), set_text(text_2, t.signIn.firstStartText), set_text(text_3, t.signIn.firstStartLost);
			}, [() => href("/login/forgotten")]), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_1(), node = child(form);
			{
				let $0 = user_derived(() => submission.fault("email"));
				Field(node, {
					get label() {
						return t.signIn.email;
					},
					type: "email",
					name: "email",
					autocomplete: "username",
					required: !0,
					get error() {
						return get($0);
					},
					get value() {
						return get(email);
					},
					set value($$value) {
						set(email, $$value, !0);
					}
				});
			}
			var node_1 = sibling(node, 2);
			{
				let $0 = user_derived(() => submission.fault("password"));
				Field(node_1, {
					get label() {
						return t.signIn.password;
					},
					type: "password",
					name: "password",
					autocomplete: "current-password",
					required: !0,
					get error() {
						return get($0);
					},
					get value() {
						return get(password);
					},
					set value($$value) {
						set(password, $$value, !0);
					}
				});
			}
			var node_2 = sibling(node_1, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return get(problem);
				} });
			};
			if_block(node_2, ($$render) => {
				get(problem) && $$render(consequent);
			});
			var node_3 = sibling(node_2, 2);
			Button(node_3, {
				type: "submit",
				variant: "primary",
				get busy() {
					return submission.busy;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_4 = text();
					template_effect(() => set_text(text_4, t.signIn.submit)), append($$anchor, text_4);
				},
				$$slots: { default: !0 }
			}), reset(form), event("submit", form, signIn), append($$anchor, form);
		},
		$$slots: {
			below: !0,
			default: !0
		}
	}), pop();
}
export { Forgotten, Join, SignIn };
