import type { PgBoss } from 'pg-boss'
import { untilAnswered } from '../../db/until-answered.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import type { Log } from '../../values/log.ts'
import type { Delivery } from '../job-source.ts'

/** Each statement names the delivery's number, so a delivery that was given up stays. */
export interface Settler {
  complete(delivery: Delivery): void
  /** @param isRetried waits for a database that is away */
  nack(delivery: Delivery, reason: Error, isRetried: boolean): Promise<void>
  /** Resolves with the ids that are still this worker's. */
  touch(deliveries: readonly Delivery[]): Promise<Set<string>>
  flushed(): Promise<void>
}

export function settleInBatches(boss: PgBoss, queue: string, log: Log): Settler {
  let waiting: Delivery[] = []
  let flushing: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    const batch = waiting.map(toAttempt)
    waiting = []
    // A lost completion costs one more delivery, which finds the job finished.
    await untilAnswered(() => boss.complete(queue, batch)).catch((error: Error) =>
      log.warn({ err: error.message }, 'queue rows stay open'),
    )
  }

  return {
    complete: (delivery) => {
      waiting.push(delivery)
      if (waiting.length > 1) return
      const turn = new Promise<void>((resolve) => setImmediate(resolve)).then(flush)
      flushing = Promise.all([flushing, turn]).then(() => undefined)
    },
    nack: async (delivery, reason, isRetried) => {
      const fail = () => boss.fail(queue, toAttempt(delivery), { message: reason.message })
      await (isRetried ? untilAnswered(fail) : fail()).catch((error: unknown) => {
        if (!isDatabaseDown(error)) log.warn({ err: String(error) }, 'a job could not be released to the queue')
      })
    },
    touch: async (deliveries) => {
      const touched = (await boss.touch(queue, deliveries.map(toAttempt))) as { settled?: string[] }
      return new Set(touched.settled)
    },
    flushed: () => flushing,
  }
}

const toAttempt = ({ id, retryCount }: Delivery) => ({ id, retryCount })
