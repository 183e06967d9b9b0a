import { type Drain, openDrain } from '../../backlog.ts'
import { costNote } from '../../drain-cost.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { interleaved, type Measure, type Row, throughput } from '../../measure.ts'

const OTHERS = 7
const { rate: LEAST } = GOALS.oneAccount
/** A commit's wait on a network volume: a charge locks its account's row for so long. */
const SLOW_COMMIT_MS = 3

/** `pipeline` with a backlog of one account; the floor is the same backlog as eight accounts have it. */
export const oneAccount: Row = {
  name: 'one-account',
  what: 'a backlog of one account drained, next to the same of eight',
  reach: `>= ${LEAST} x floor`,
  run: async (environment) => {
    const { accountId } = await environment.database()
    const accounts = [accountId]
    for (let n = 1; n <= OTHERS; n++) accounts.push((await environment.account(`bench ${n}`)).accountId)
    const drain = await openDrain(environment, { slots: 32 })
    try {
      const measures: Measure[] = []
      for (const commitMs of [0, SLOW_COMMIT_MS]) measures.push(await compare(environment, drain, accounts, commitMs))
      return { name: 'one-account', measures, notes: [costNote(drain.costs)] }
    } finally {
      await drain.close()
    }
  },
}

async function compare(
  environment: Environment,
  drain: Drain,
  accounts: readonly string[],
  commitMs: number,
): Promise<Measure> {
  const count = environment.quick ? 500 : 2000
  await drain.delayCommits(commitMs)
  const pairs = await interleaved(environment.quick ? 1 : 5, {
    ours: () => drain.run(count),
    floor: () => drain.run(count, accounts),
  })
  return throughput(`one of eight, commits ${commitMs} ms slower`, 'jobs/s', pairs, LEAST)
}
