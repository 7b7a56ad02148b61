import { $document, append, await_block, child, comment, deferred_template_effect, event, first_child, from_html, get, head, if_block, next, noop, onMount, only_child, pop, proxy, push, reset, set, set_attribute, set_text, sibling, snippet, state, template_effect, text, user_derived } from "./vendor.js";
import { ApiProblem, Button, Field, Logo, ProblemNote, StatePanel, Submission, call, enter, href, installation, navigate, router, t } from "./parts.js";
// src/account/Card.svelte
var root$3 = from_html("<img alt=\"\" width=\"32\" height=\"32\" class=\"svelte-ce8inh\"/>"), root_1$3 = from_html("<p class=\"text svelte-ce8inh\"> </p>"), root_2$3 = from_html("<div class=\"below svelte-ce8inh\"><!></div>"), root_3$2 = from_html("<div class=\"page-grid svelte-ce8inh\"><main class=\"svelte-ce8inh\"><a class=\"brand svelte-ce8inh\"><!> </a> <h1 class=\"svelte-ce8inh\"> </h1> <!> <!> <!></main></div>");
function Card($$anchor, $$props) {
	push($$props, !0), onMount(installation.load);
	let name = user_derived(() => installation.current?.name || t.common.product), logo = user_derived(() => installation.current?.logo_url);
	var div = root_3$2();
	head("ce8inh", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${$$props.title ?? ""} · ${get(name) ?? ""}`;
		});
	});
	var main = child(div), a = child(main), node = child(a), consequent = ($$anchor) => {
		var img = root$3();
		template_effect(($0) => set_attribute(img, "src", $0), [() => href(get(logo))]), append($$anchor, img);
	}, alternate = ($$anchor) => {
		Logo($$anchor, { size: 32 });
	};
	if_block(node, ($$render) => {
		get(logo) ? $$render(consequent) : $$render(alternate, -1);
	});
	var text_1 = sibling(node, 1, !0);
	reset(a);
	var h1 = sibling(a, 2), text_2 = only_child(h1, !0), node_1 = sibling(h1, 2), consequent_1 = ($$anchor) => {
		var p = root_1$3(), text_3 = only_child(p, !0);
		template_effect(() => set_text(text_3, $$props.text)), append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		$$props.text && $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2);
	snippet(node_2, () => $$props.children ?? noop);
	var node_3 = sibling(node_2, 2), consequent_2 = ($$anchor) => {
		var div_1 = root_2$3(), node_4 = child(div_1);
		snippet(node_4, () => $$props.below), reset(div_1), append($$anchor, div_1);
	};
	if_block(node_3, ($$render) => {
		$$props.below && $$render(consequent_2);
	}), reset(main), reset(div), template_effect(($0) => {
		set_attribute(a, "href", $0), set_text(text_1, get(name)), set_text(text_2, $$props.title);
	}, [() => href("/")]), append($$anchor, div), pop();
}
// src/account/Forgotten.svelte
var root$2 = from_html("<a> </a>"), root_1$2 = from_html("<div class=\"no-mail svelte-1vadfc5\" role=\"alert\"><p> </p> <code class=\"svelte-1vadfc5\"> </code></div>"), root_2$2 = from_html("<form><!> <!> <!></form>");
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
				var form = root_2$2(), node_1 = child(form);
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
var root$1 = from_html("<form><!> <!> <!> <!> <!> <!></form>"), root_1$1 = from_html("<blockquote class=\"svelte-x2kka7\"> </blockquote>"), root_2$1 = from_html("<!> <!>", 1), root_3$1 = from_html("<!> <a> </a>", 1), root_4$1 = from_html("<a> </a>");
function Join($$anchor, $$props) {
	push($$props, !0);
	let form = ($$anchor, send = noop, label = noop, fields = noop) => {
		var form_1 = root$1(), event_handler = user_derived(() => submit(send())), node = child(form_1), consequent = ($$anchor) => {
			{
				let $0 = user_derived(() => submission.fault("tenant"));
				Field($$anchor, {
					get label() {
						return t.join.tenant;
					},
					get hint() {
						return t.join.tenantHint;
					},
					required: !0,
					maxlength: 100,
					autocomplete: "organization",
					get error() {
						return get($0);
					},
					get value() {
						return get(tenant);
					},
					set value($$value) {
						set(tenant, $$value, !0);
					}
				});
			}
		};
		if_block(node, ($$render) => {
			fields().tenant && $$render(consequent);
		});
		var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
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
		if_block(node_1, ($$render) => {
			fields().address && $$render(consequent_1);
		});
		var node_2 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
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
		if_block(node_2, ($$render) => {
			fields().name && $$render(consequent_2);
		});
		var node_3 = sibling(node_2, 2);
		{
			let $0 = user_derived(() => fields().isNew ? t.password.new : t.signIn.password), $1 = user_derived(() => fields().isNew ? "new-password" : "current-password"), $2 = user_derived(() => fields().isNew ? 12 : void 0), $3 = user_derived(() => fields().isNew ? t.password.hint : void 0), $4 = user_derived(() => submission.fault("password") ?? submission.fault("new_password"));
			Field(node_3, {
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
		var node_4 = sibling(node_3, 2), consequent_3 = ($$anchor) => {
			ProblemNote($$anchor, { get problem() {
				return submission.problem;
			} });
		}, d = user_derived(() => submission.besides("tenant", "email", "display_name", "password", "new_password"));
		if_block(node_4, ($$render) => {
			get(d) && $$render(consequent_3);
		});
		var node_5 = sibling(node_4, 2);
		Button(node_5, {
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
		password: link.get("password")
	}, signsUp = link.has("tenant");
	onMount(() => {
		!signsUp && !Object.values(secret).some(Boolean) ? navigate("/login", { replace: !0 }) : signsUp || history.replaceState(null, "", href("/join"));
	});
	let invitation = secret.invitation ? call("auth.get_invitation", { path: { token: secret.invitation } }) : void 0, tenant = state(proxy(link.get("tenant") ?? "")), email = state(""), name = state(""), password = state(""), result = state(void 0), submission = new Submission();
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
		tenant: get(tenant).trim(),
		email: get(email),
		display_name: get(name),
		password: get(password)
	} });
	var fragment_5 = comment(), node_6 = first_child(fragment_5), consequent_4 = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.join[get(result)];
			},
			get text() {
				return t.join[`${get(result)}Text`];
			}
		});
	}, consequent_6 = ($$anchor) => {
		var fragment_7 = comment(), node_7 = first_child(fragment_7);
		await_block(node_7, () => invitation, ($$anchor) => {
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
						var fragment_9 = root_2$1(), node_8 = first_child(fragment_9), consequent_5 = ($$anchor) => {
							var blockquote = root_1$1(), text_1 = only_child(blockquote, !0);
							template_effect(() => set_text(text_1, get(message))), append($$anchor, blockquote);
						};
						if_block(node_8, ($$render) => {
							get(message) && $$render(consequent_5);
						});
						var node_9 = sibling(node_8, 2);
						{
							let $0 = user_derived(() => accept(get(account_exists)));
							form(node_9, () => get($0), () => t.join.accept, () => get(account_exists) ? {} : {
								name: !0,
								isNew: !0
							});
						}
						append($$anchor, fragment_9);
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
					var fragment_11 = root_3$1(), node_10 = first_child(fragment_11);
					ProblemNote(node_10, { get problem() {
						return get(problem);
					} });
					var a = sibling(node_10, 2), text_2 = only_child(a, !0);
					template_effect(($0) => {
						set_attribute(a, "href", $0), set_text(text_2, t.join.toSignIn);
					}, [() => href("/login")]), append($$anchor, fragment_11);
				},
				$$slots: { default: !0 }
			});
		}), append($$anchor, fragment_7);
	}, consequent_7 = ($$anchor) => {
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
	}, consequent_8 = ($$anchor) => {
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
	}, consequent_9 = ($$anchor) => {
		Card($$anchor, {
			get title() {
				return t.join.signUp;
			},
			get text() {
				return t.join.signUpText;
			},
			below: ($$anchor) => {
				var a_1 = root_4$1(), text_3 = only_child(a_1, !0);
				template_effect(($0) => {
					set_attribute(a_1, "href", $0), set_text(text_3, t.join.toSignIn);
				}, [() => href("/login")]), append($$anchor, a_1);
			},
			children: ($$anchor, $$slotProps) => {
				{
					let $0 = user_derived(() => ({
						tenant: !link.get("tenant"),
						address: !0,
						name: !0,
						isNew: !0
					}));
					form($$anchor, () => register, () => t.join.signUp, () => get($0));
				}
			},
			$$slots: {
				below: !0,
				default: !0
			}
		});
	};
	if_block(node_6, ($$render) => {
		get(result) ? $$render(consequent_4) : invitation ? $$render(consequent_6, 1) : secret.confirm ? $$render(consequent_7, 2) : secret.password ? $$render(consequent_8, 3) : signsUp && $$render(consequent_9, 4);
	}), append($$anchor, fragment_5), pop();
}
// src/account/SignIn.svelte
var root = from_html("<code class=\"svelte-rukpl5\"> </code>"), root_1 = from_html("<details open=\"\" class=\"svelte-rukpl5\"><summary class=\"svelte-rukpl5\"> </summary> <p class=\"svelte-rukpl5\"> </p> <p class=\"svelte-rukpl5\"> </p> <!></details>"), root_2 = from_html("<a> </a>"), root_3 = from_html("<details class=\"svelte-rukpl5\"><summary class=\"svelte-rukpl5\"> </summary> <p class=\"svelte-rukpl5\"> </p> <!></details>"), root_4 = from_html("<!> <!>", 1), root_5 = from_html("<p> </p>"), root_6 = from_html("<form><!> <!> <!> <!></form>");
function SignIn($$anchor, $$props) {
	push($$props, !0);
	let command = ($$anchor) => {
		var code = root(), text = only_child(code);
		template_effect(() => set_text(text, `understudy user password ${(get(email) || "admin@localhost") ?? ""}`)), append($$anchor, code);
	}, email = state(proxy(new URLSearchParams(router.location.fragment).get("email") ?? "")), password = state(""), submission = new Submission();
	function signIn(event) {
		event.preventDefault(), submission.run(async () => enter(await call("auth.login", { body: {
			email: get(email),
			password: get(password)
		} })));
	}
	let server = user_derived(() => installation.current), problem = user_derived(() => {
		let problem = submission.besides("email", "password"), throttled = problem instanceof ApiProblem && problem.status === 429 && problem.retryAfter;
		return throttled ? t.signIn.throttled(Math.ceil(throttled / 60)) : problem;
	});
	Card($$anchor, {
		get title() {
			return t.signIn.title;
		},
		below: ($$anchor) => {
			var fragment_1 = root_4(), node = first_child(fragment_1), consequent = ($$anchor) => {
				var details = root_1(), summary = child(details), text_1 = only_child(summary, !0), p = sibling(summary, 2), text_2 = only_child(p, !0), p_1 = sibling(p, 2), text_3 = only_child(p_1, !0), node_1 = sibling(p_1, 2);
				command(node_1), reset(details), template_effect(() => {
					set_text(text_1, t.signIn.firstStart), set_text(text_2, t.signIn.firstStartText), set_text(text_3, t.signIn.firstStartLost);
				}), append($$anchor, details);
			}, consequent_1 = ($$anchor) => {
				var a = root_2(), text_4 = only_child(a, !0);
				template_effect(($0) => {
					set_attribute(a, "href", $0), set_text(text_4, t.signIn.forgotten);
				}, [() => href("/login/forgotten")]), append($$anchor, a);
			}, consequent_2 = ($$anchor) => {
				var details_1 = root_3(), summary_1 = child(details_1), text_5 = only_child(summary_1, !0), p_2 = sibling(summary_1, 2), text_6 = only_child(p_2, !0), node_2 = sibling(p_2, 2);
				command(node_2), reset(details_1), template_effect(() => {
					set_text(text_5, t.signIn.forgotten), set_text(text_6, t.signIn.forgottenNoMail);
				}), append($$anchor, details_1);
			};
			if_block(node, ($$render) => {
				get(server)?.is_first_start ? $$render(consequent) : get(server)?.mail ? $$render(consequent_1, 1) : get(server) && $$render(consequent_2, 2);
			});
			var node_3 = sibling(node, 2), consequent_3 = ($$anchor) => {
				var a_1 = root_2(), text_7 = only_child(a_1, !0);
				template_effect(($0) => {
					set_attribute(a_1, "href", $0), set_text(text_7, t.signIn.signUp);
				}, [() => href("/join#tenant=")]), append($$anchor, a_1);
			};
			if_block(node_3, ($$render) => {
				get(server)?.sign_up && $$render(consequent_3);
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_2 = comment(), node_4 = first_child(fragment_2), consequent_4 = ($$anchor) => {
				var p_3 = root_5(), text_8 = only_child(p_3, !0);
				template_effect(() => set_text(text_8, t.signIn.noMethod)), append($$anchor, p_3);
			}, d = user_derived(() => get(server) && !get(server).sign_in_methods.includes("password")), alternate = ($$anchor) => {
				var form = root_6(), node_5 = child(form);
				{
					let $0 = user_derived(() => submission.fault("email"));
					Field(node_5, {
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
				var node_6 = sibling(node_5, 2);
				{
					let $0 = user_derived(() => submission.fault("password"));
					Field(node_6, {
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
				var node_7 = sibling(node_6, 2), consequent_5 = ($$anchor) => {
					ProblemNote($$anchor, { get problem() {
						return get(problem);
					} });
				};
				if_block(node_7, ($$render) => {
					get(problem) && $$render(consequent_5);
				});
				var node_8 = sibling(node_7, 2);
				Button(node_8, {
					type: "submit",
					variant: "primary",
					get busy() {
						return submission.busy;
					},
					children: ($$anchor, $$slotProps) => {
						next();
						var text_9 = text();
						template_effect(() => set_text(text_9, t.signIn.submit)), append($$anchor, text_9);
					},
					$$slots: { default: !0 }
				}), reset(form), event("submit", form, signIn), append($$anchor, form);
			};
			if_block(node_4, ($$render) => {
				get(d) ? $$render(consequent_4) : $$render(alternate, -1);
			}), append($$anchor, fragment_2);
		},
		$$slots: {
			below: !0,
			default: !0
		}
	}), pop();
}
export { Forgotten, Join, SignIn };
