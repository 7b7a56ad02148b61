import { ApiProblem } from '../api/problem';

/** A form that is sent to the server: whether it is on its way, and why it was refused. */
export class Submission {
  busy = $state(false);
  problem = $state.raw<unknown>();

  /** Runs an action, unless one runs already. Resolves with whether it succeeded. */
  async run(action: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.problem = undefined;
    try {
      await action();
      return true;
    } catch (error) {
      this.problem = error;
      return false;
    } finally {
      this.busy = false;
    }
  }

  private last: Promise<unknown> = Promise.resolve();

  /** Runs an action after those that run already: for controls that can be used while another one is saved. */
  inTurn(action: () => Promise<void>): Promise<boolean> {
    const turn = this.last.then(() => this.run(action));
    this.last = turn;
    return turn;
  }

  /** The fault of one member of the request. */
  fault(member: string): string | undefined {
    return this.problem instanceof ApiProblem ? this.problem.fault(member) : undefined;
  }

  /** The problem, unless the fields named here show it. */
  besides(...members: string[]): unknown {
    return members.some(member => this.fault(member)) ? undefined : this.problem;
  }
}
