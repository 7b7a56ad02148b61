// Short messages at the edge of the page, such as the result of an action that can be undone.

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'neutral' | 'problem';
  readonly action?: { readonly label: string; readonly run: () => void };
}

const LIFE = 8000;
const MOST = 4;

let list = $state.raw<readonly Toast[]>([]);
let count = 0;

export const toasts = {
  get list(): readonly Toast[] {
    return list;
  },
  show(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): number {
    const toast: Toast = { id: ++count, text, tone: 'neutral', ...options };
    // A message that is shown already is not shown twice.
    const others = list.filter(other => other.text !== text || other.action);
    list = [...others.slice(1 - MOST), toast];
    setTimeout(() => toasts.dismiss(toast.id), LIFE);
    return toast.id;
  },
  dismiss(id: number): void {
    list = list.filter(toast => toast.id !== id);
  },
};
