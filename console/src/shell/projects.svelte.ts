// The projects that the user may see.

import { call, everyPage } from '../api/client';
import type { Project } from '../api/types';

const tabs = new BroadcastChannel('understudy.projects');

class Projects {
  items = $state.raw<readonly Project[]>([]);

  constructor() {
    tabs.addEventListener('message', () => void this.load().catch(() => {}));
  }

  async load(): Promise<void> {
    this.items = await everyPage(cursor => call('projects.get_projects', { query: { limit: 100, ...(cursor ? { cursor } : {}) } }));
  }

  find(id: string | null | undefined): Project | undefined {
    return this.items.find(project => project.id === id);
  }

  async create(name: string): Promise<Project> {
    const project = await call('projects.create_project', { body: { name } });
    this.items = [project, ...this.items];
    this.tellOtherTabs();
    return project;
  }

  put(project: Project): void {
    this.items = this.items.map(other => (other.id === project.id ? project : other));
    this.tellOtherTabs();
  }

  drop(id: string): void {
    this.items = this.items.filter(project => project.id !== id);
    this.tellOtherTabs();
  }

  private tellOtherTabs(): void {
    tabs.postMessage('changed');
  }
}

export const projects = new Projects();
