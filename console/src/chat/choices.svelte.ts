// The models and assistants that can answer.

import { call, everyPage } from '../api/client';
import { session } from '../api/session.svelte';
import type { Assistant, Model } from '../api/types';
import type { Option } from '../parts/Combobox.svelte';
import { cost, t } from '../words/index.svelte';

class Choices {
  models = $state.raw<readonly Model[]>([]);
  assistants = $state.raw<readonly Assistant[]>([]);
  loaded = $state(false);
  problem = $state.raw<unknown>();
  private loading: Promise<void> | undefined;

  /** Reads them once; again after `refresh`. */
  load(withAssistants: boolean): Promise<void> {
    this.loading ??= this.read(withAssistants).finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async read(withAssistants: boolean): Promise<void> {
    try {
      const [models, assistants] = await Promise.all([
        call('chat.get_models'),
        withAssistants ? everyPage(cursor => call('assistants.get_assistants', { query: { limit: 100, ...(cursor ? { cursor } : {}) } })) : [],
      ]);
      this.models = models.items.filter(model => model.capability_tags.includes('chat'));
      this.assistants = assistants;
      this.problem = undefined;
      this.loaded = true;
    } catch (error) {
      this.problem = error;
    }
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

  /** The models as options; `chosen` is one of them even if it is not available any more. */
  modelOptions(chosen: string | null | undefined): Option[] {
    const groupOf = (model: Model) => (model.is_favourite ? t.chat.favourites : model.provider);
    const order = (model: Model) => `${model.is_favourite ? 0 : 1}${model.provider}`;
    const options = [...this.models].sort((a, b) => (order(a) < order(b) ? -1 : 1)).map<Option>(model => ({
      value: model.id,
      label: model.name,
      description: [model.id, ...model.capability_tags.filter(tag => tag !== 'chat')].join(' · '),
      group: groupOf(model),
      note: priceOf(model),
      unavailable: model.info_tags.includes('own_key') ? t.chat.ownKey : undefined,
    }));
    if (chosen && this.loaded && !this.model(chosen)) options.unshift({ value: chosen, label: chosen, unavailable: t.chat.modelGone });
    return options;
  }

  assistantOptions(chosen: string | null | undefined): Option[] {
    const options: Option[] = [
      { value: '', label: t.chat.noAssistant, description: t.chat.noAssistantText },
      ...this.assistants.map(assistant => ({
        value: assistant.id,
        label: assistant.name,
        description: assistant.description,
        group: assistant.type === 'workflow' ? t.chat.workflows : t.chat.assistants,
        unavailable: assistant.enabled ? undefined : (assistant.disabled_reason ?? t.chat.assistantDisabled),
      })).sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0)),
    ];
    if (chosen && this.loaded && !this.assistant(chosen)) options.splice(1, 0, { value: chosen, label: t.chat.assistantGone, unavailable: t.chat.assistantGoneText });
    return options;
  }
}

function priceOf({ prices }: Model): string | undefined {
  const perMillion = prices.output_nanos_per_token * 1_000_000;
  return perMillion > 0 ? t.chat.perMillion(cost(perMillion)) : undefined;
}

export const choices = new Choices();
