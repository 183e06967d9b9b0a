import { openDrain } from '../backlog.ts'
import { interleaved, type Row, throughput } from '../measure.ts'

/** What a commit waits for on a network volume, or with a synchronous standby near by. */
const COMMIT_MS = 3

/**
 * `pipeline` where each commit takes longer than here: PostgreSQL waits before it flushes (`commit_delay`), and lets the commits that
 * come meanwhile go along, as a slow disk does. The floor is the same backlog without that wait.
 */
export const slowDisk: Row = {
  name: 'slow-disk',
  what: `a backlog drained where each commit waits ${COMMIT_MS} ms longer, next to the same without`,
  reach: '>= 0.8 x floor',
  run: async (environment) => {
    const count = environment.quick ? 500 : 2000
    const drain = await openDrain(environment, 32)
    const withDelay = async (microseconds: number) => {
      // Sessions that begin later have it: those of the worker.
      const settings = { commit_delay: microseconds, commit_siblings: microseconds === 0 ? 5 : 0 }
      for (const [name, value] of Object.entries(settings)) await drain.client.query(setting(name, value))
      return drain.run(count)
    }
    try {
      const sides = { ours: () => withDelay(COMMIT_MS * 1000), floor: () => withDelay(0) }
      const pairs = await interleaved(environment.quick ? 1 : 3, sides)
      return { name: 'slow-disk', measures: [throughput('backlog drained', 'jobs/s', pairs, 0.8)], notes: [] }
    } finally {
      for (const name of ['commit_delay', 'commit_siblings']) await drain.client.query(reset(name))
      await drain.close()
    }
  },
}

const alter = (action: string) =>
  `do $$ begin execute format('alter database %I ${action}', current_database()); end $$`
const setting = (name: string, value: number) => alter(`set ${name} = ${value}`)
const reset = (name: string) => alter(`reset ${name}`)
