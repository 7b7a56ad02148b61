// The models and assistants that can answer, and those that cannot, with the reason.

import { call, everyPage, type ResultOf } from '../api/client';
import { reloadUser, session } from '../api/session.svelte';
import type { Assistant, Model } from '../api/types';
import type { Option } from '../parts/Combobox.svelte';
import { toasts } from '../parts/toasts.svelte';
import { cost, t } from '../words/index.svelte';

type Provider = ResultOf<'tenant-admin.list_providers'>['items'][number];

class Choices {
  /** The models that can answer. */
  models = $state.raw<readonly Model[]>([]);
  private unavailable = $state.raw<readonly Model[]>([]);
  assistants = $state.raw<readonly Assistant[]>([]);
  loaded = $state(false);
  problem = $state.raw<unknown>();
  /** Ids of the assistants that the user has chosen as favourites. */
  private starred = $state.raw<ReadonlySet<string>>(new Set());
  private providers = $state.raw<readonly Provider[]>([]);
  private loading: Promise<void> | undefined;

  /** Reads what the user can choose, unless this is being read. */
  load(): Promise<void> {
    if (!session.has('conversations')) return Promise.resolve();
    this.loading ??= this.read(session.has('assistants')).finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async read(withAssistants: boolean): Promise<void> {
    try {
      const [models, assistants] = await Promise.all([
        call('chat.get_models', { query: { include_unavailable: true } }),
        withAssistants ? everyPage(cursor => call('assistants.get_assistants', { query: { limit: 100, ...(cursor ? { cursor } : {}) } })) : [],
      ]);
      const canChat = models.items.filter(model => model.capability_tags.includes('chat'));
      this.models = canChat.filter(model => !model.unavailable_reason);
      this.unavailable = canChat.filter(model => model.unavailable_reason);
      this.assistants = assistants;
      this.problem = undefined;
      this.loaded = true;
    } catch (error) {
      this.problem = error;
    }
  }

  /** Reads which assistants are favourites, when the list of assistants is opened. */
  async loadFavourites(): Promise<void> {
    const { items } = await call('assistants.get_favourite_assistants').catch(() => ({ items: [] as Assistant[] }));
    this.starred = new Set(items.map(({ id }) => id));
  }

  /** Reads what is wrong with the providers, for those who may know it, when the list of models is opened. */
  async loadProviders(): Promise<void> {
    if (!session.may('admin:read')) return;
    this.providers = (await call('tenant-admin.list_providers').catch(() => ({ items: [] as Provider[] }))).items;
  }

  /** The model that answers if none is chosen. */
  get fallback(): Model | undefined {
    return this.model(session.user?.preferences.default_model) ?? this.models.find(({ is_default }) => is_default);
  }

  model(id: string | null | undefined): Model | undefined {
    return this.models.find(model => model.id === id);
  }

  assistant(id: string | null | undefined): Assistant | undefined {
    return this.assistants.find(assistant => assistant.id === id);
  }

  /** The models as options, with those that `chosen`, the favourites and the default name and that are not available. */
  modelOptions(chosen: readonly (string | null | undefined)[]): Option[] {
    const groupOf = (model: Model) => (model.is_favourite ? t.chat.favourites : model.provider);
    const order = (model: Model) => `${model.is_favourite ? 0 : 1}${model.provider}`;
    const options = [...this.models].sort((a, b) => (order(a) < order(b) ? -1 : 1)).map<Option>(model => ({
      value: model.id,
      label: model.name,
      description: [model.id, ...model.capability_tags.filter(tag => tag !== 'chat')].join(' · '),
      group: groupOf(model),
      note: priceOf(model),
      starred: model.is_favourite,
    }));
    return this.loaded ? [...options, ...this.unavailableModels(chosen), ...this.unavailableProviders()] : options;
  }

  private unavailableModels(chosen: readonly (string | null | undefined)[]): Option[] {
    const { favourite_models = [], default_model } = session.user?.preferences ?? {};
    const named = new Set([...chosen, ...favourite_models, default_model].flatMap(id => id ?? []));
    const starred = (id: string) => (favourite_models.includes(id) ? true : undefined);
    const known = this.unavailable.map(({ id, name, unavailable_reason }) => ({
      value: id, label: name, description: id, group: t.chat.unavailable, starred: starred(id),
      unavailable: unavailable_reason === 'key_missing' ? t.chat.providerKey : t.chat.modelHidden,
    }));
    const isListed = (id: string) => this.model(id) !== undefined || known.some(({ value }) => value === id);
    const unknown = [...named].filter(id => !isListed(id));
    return [...known, ...unknown.map(id => ({ value: id, label: id, group: t.chat.unavailable, unavailable: t.chat.modelGone, starred: starred(id) }))];
  }

  private unavailableProviders(): Option[] {
    return this.providers.flatMap(provider => {
      const reason = this.unavailable.some(model => model.provider === provider.provider) ? undefined : reasonOf(provider);
      return reason ? [{ value: `${provider.provider}/`, label: provider.provider, group: t.chat.unavailable, unavailable: reason }] : [];
    });
  }

  assistantOptions(chosen: string | null | undefined): Option[] {
    const order = ({ group, label }: { group: string; label: string }) => `${group === t.chat.favourites ? 0 : 1}${group}\n${label.toLowerCase()}`;
    const options: Option[] = [
      { value: '', label: t.chat.noAssistant, description: t.chat.noAssistantText },
      ...this.assistants.map(assistant => ({
        value: assistant.id,
        label: assistant.name,
        description: assistant.description,
        group: this.starred.has(assistant.id) ? t.chat.favourites : assistant.type === 'workflow' ? t.chat.workflows : t.chat.assistants,
        unavailable: assistant.enabled ? undefined : (assistant.disabled_reason ?? t.chat.assistantDisabled),
        starred: this.starred.has(assistant.id),
      })).sort((a, b) => (order(a) < order(b) ? -1 : 1)),
    ];
    if (chosen && this.loaded && !this.assistant(chosen)) options.splice(1, 0, { value: chosen, label: t.chat.assistantGone, unavailable: t.chat.assistantGoneText });
    return options;
  }

  /** Makes an assistant a favourite, or ends that. */
  async starAssistant(id: string): Promise<void> {
    const former = this.starred;
    const starred = new Set(former);
    if (!starred.delete(id)) starred.add(id);
    this.starred = starred;
    const operation = starred.has(id) ? 'assistants.add_favourite_assistant' : 'assistants.remove_favourite_assistant';
    await call(operation, { path: { assistant_id: id } }).catch((error: Error) => {
      this.starred = former;
      toasts.show(error.message, { tone: 'problem' });
    });
  }

  /** Makes a model a favourite, or ends that. */
  async starModel(id: string): Promise<void> {
    const { models: former } = this;
    const chosen = session.user?.preferences.favourite_models ?? [];
    const favourite_models = chosen.includes(id) ? chosen.filter(other => other !== id) : [...chosen, id];
    this.models = former.map(model => (model.id === id ? { ...model, is_favourite: favourite_models.includes(id) } : model));
    try {
      await call('users.update_user_preferences', { body: { favourite_models } });
      await reloadUser();
    } catch (error) {
      this.models = former;
      toasts.show(error instanceof Error ? error.message : String(error), { tone: 'problem' });
    }
  }
}

function priceOf({ prices }: Model): string | undefined {
  const perMillion = prices.output_nanos_per_token * 1_000_000;
  return perMillion > 0 ? t.chat.perMillion(cost(perMillion)) : undefined;
}

function reasonOf({ state, needs_key, own_key, last_error }: Provider): string | undefined {
  if (own_key?.stale) return t.chat.providerKeyStale;
  if (needs_key && !own_key) return t.chat.providerKey;
  if (state === 'down') return t.chat.providerDown(last_error ?? '');
  return state === 'degraded' ? t.chat.providerDegraded(last_error ?? '') : undefined;
}

export const choices = new Choices();
