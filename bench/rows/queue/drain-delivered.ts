import { type Drain, openDrain } from '../../backlog.ts'
import { costNote, type DrainCost } from '../../drain-cost.ts'
import { interleaved, type Measure, median, NO_GOAL, type Row } from '../../measure.ts'
import { openWebhookFixture } from '../../webhook-fixture.ts'

/**
 * `pipeline` with a backlog whose account has a receiver: each job ends with a delivery, which the same worker posts. The floor is the same
 * backlog of an account without one.
 */
export const pipelineDelivered: Row = {
  name: 'pipeline-delivered',
  what: 'a backlog drained whose ends are delivered to a fast receiver, next to one without a receiver',
  reach: NO_GOAL,
  run: async (environment) => {
    const receiving = await environment.account('bench delivered')
    const quiet = await environment.account('bench undelivered')
    const fixture = await openWebhookFixture(environment, receiving)
    const drain = await openDrain(environment, { slots: 32, variables: { ...fixture.variables, WEBHOOKS: '1' } })
    try {
      await fixture.client.query('update account set webhook_url = $2 where id = $1', [
        receiving.accountId,
        `${fixture.receiver.url}/hook`,
      ])
      const count = environment.quick ? 500 : 2000
      const run = costing(drain)
      const pairs = await interleaved(environment.quick ? 3 : 5, {
        ours: async () => {
          const rate = await run(count, receiving.accountId)
          await fixture.arrivals(count)
          return rate
        },
        floor: () => run(count, quiet.accountId),
      })
      const measure: Measure = {
        what: 'backlog drained',
        unit: 'jobs/s',
        floor: median(pairs.map(({ floor }) => floor)),
        value: median(pairs.map(({ ours }) => ours)),
        ratio: median(pairs.map(({ ours, floor }) => ours / floor)),
        reach: NO_GOAL,
        reached: null,
      }
      const notes = [
        `delivered: ${costNote(run.costs(receiving.accountId))}`,
        `without a receiver: ${costNote(run.costs(quiet.accountId))}`,
      ]
      return { name: 'pipeline-delivered', measures: [measure], notes }
    } finally {
      await drain.close()
      await fixture.close()
    }
  },
}

/** Runs of a drain whose costs are kept by account. */
function costing(drain: Drain) {
  const costs = new Map<string, DrainCost[]>()
  const run = async (count: number, accountId: string): Promise<number> => {
    const rate = await drain.run(count, [accountId])
    costs.set(accountId, [...(costs.get(accountId) ?? []), drain.costs.at(-1)!])
    return rate
  }
  return Object.assign(run, { costs: (accountId: string) => costs.get(accountId) ?? [] })
}
