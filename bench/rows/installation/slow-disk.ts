import { openDrain } from '../../backlog.ts'
import { GOALS } from '../../goals.ts'
import { interleaved, type Row, throughput } from '../../measure.ts'

/** A commit's wait on a network volume, or with a synchronous standby near by. */
const COMMIT_MS = 3
const { rate: LEAST } = GOALS.slowDisk

/**
 * `pipeline` where each commit takes longer than here: PostgreSQL waits before it flushes (`commit_delay`), and lets the commits that
 * come meanwhile go along, as a slow disk does. The floor is the same backlog without that wait.
 */
export const slowDisk: Row = {
  name: 'slow-disk',
  what: `a backlog drained where each commit waits ${COMMIT_MS} ms longer, next to the same without`,
  reach: `>= ${LEAST} x floor`,
  run: async (environment) => {
    const count = environment.quick ? 500 : 2000
    const drain = await openDrain(environment, { slots: 32 })
    const withDelay = async (ms: number) => {
      await drain.delayCommits(ms)
      return drain.run(count)
    }
    try {
      const sides = { ours: () => withDelay(COMMIT_MS), floor: () => withDelay(0) }
      const pairs = await interleaved(environment.quick ? 1 : 3, sides)
      return { name: 'slow-disk', measures: [throughput('backlog drained', 'jobs/s', pairs, LEAST)], notes: [] }
    } finally {
      await drain.close()
    }
  },
}
