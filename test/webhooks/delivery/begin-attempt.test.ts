import { afterEach, describe, expect, test } from 'vitest'
import { openBeginAttempt } from '../../../src/webhooks/delivery/deliver-webhook.ts'
import { startWebhookWorker } from '../../../src/webhooks/delivery/start-webhook-worker.ts'
import { signedBytes } from '../../setup/servers/receiver.ts'
import { createOwner, openWebhookFixture } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const WAITING = 300
const QUICK = 20
/** As src/webhooks/delivery/deliver-webhook.ts limits them. */
const AT_ONCE = 16
/** No claim: the machine may be busy. */
const TIMEOUT_MS = 60_000

describe('attempts that wait for their receiver', { timeout: 200_000 }, () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  const start = async () => {
    const fixture = await openWebhookFixture()
    closers.push(fixture.close)
    return fixture
  }

  test('are not begun when the worker stops: the next one makes each of them once', async () => {
    const { receiver, service } = await start()
    const held: (() => void)[] = []
    let isQuick = false
    receiver.on('/hook', (response) => {
      const answer = () => response.writeHead(204).end()
      if (!isQuick) held.push(answer)
      else answer()
    })
    const owner = await createOwner(service, `${receiver.url}/hook`)
    await Promise.all(Array.from({ length: WAITING }, () => owner.sendTest()))
    const count = async (condition: string) => {
      const { rows } = await service.runtime.db.pool.query(
        `select count(*)::int as n from webhook_delivery d where account_id = $1 and ${condition}`,
        [owner.account],
      )
      return rows[0].n as number
    }
    const attempted = 'exists (select from webhook_attempt a where a.delivery_id = d.id)'

    const first = await startWebhookWorker(service.runtime)
    await until(() => held.length === AT_ONCE, TIMEOUT_MS, 'the last ticket')
    const sent = receiver.received('/hook').length
    const stopped = first.stop()
    for (const answer of held) answer()
    await stopped
    expect(receiver.received('/hook')).toHaveLength(sent)
    expect(await count(`state = 'succeeded' and attempt = 1`)).toBe(sent)
    expect(await count(`state = 'pending' and attempt = 0 and not ${attempted}`)).toBe(WAITING - sent)

    isQuick = true
    const second = await startWebhookWorker(service.runtime)
    await until(async () => (await count(`state = 'succeeded'`)) === WAITING, TIMEOUT_MS, 'all of them')
    await second.stop()
    const requests = receiver.received('/hook')
    expect(requests).toHaveLength(WAITING)
    expect(new Set(requests.map(signedBytes)).size).toBe(WAITING)
    expect(await count('attempt = 1')).toBe(WAITING)
  })

  test('wait behind a receiver that came to a halt without costing one of the four', async () => {
    const { receiver, service } = await start()
    receiver.on('/halt', (response, _request, nth) => {
      // Its first answers are quick, the next sixteen never come.
      if (nth <= QUICK || nth > QUICK + AT_ONCE) response.writeHead(204).end()
    })
    const owner = await createOwner(service, `${receiver.url}/halt`)
    await Promise.all(Array.from({ length: WAITING }, () => owner.sendTest()))
    const worker = await startWebhookWorker(service.runtime)
    closers.push(() => worker.stop())
    const isOver = async () => {
      const { rows } = await service.runtime.db.pool.query(
        `select attempt, count(*)::int as n from webhook_delivery where account_id = $1 and state = 'succeeded' group by 1 order by 1`,
        [owner.account],
      )
      return rows.reduce((sum, { n }) => sum + n, 0) === WAITING ? rows : undefined
    }
    // Only those that were sent and got no answer needed a second attempt.
    expect(await until(isOver, TIMEOUT_MS, 'all of them')).toEqual([
      { attempt: 1, n: WAITING - AT_ONCE },
      { attempt: 2, n: AT_ONCE },
    ])
    expect(receiver.received('/halt')).toHaveLength(WAITING + AT_ONCE)
  })

  test('are begun together, and one that PostgreSQL refuses fails alone', async () => {
    const { receiver, service } = await start()
    const owner = await createOwner(service, `${receiver.url}/refused`)
    const ids = [await owner.sendTest(), await owner.sendTest(), await owner.sendTest()]
    const { pool } = service.runtime.db
    const refuse = (id: string) =>
      pool.query(`
        create or replace function refuse_it() returns trigger language plpgsql as
          $$ begin if new.id = '${id}' then raise exception 'this one is refused'; end if; return new; end $$;
        create or replace trigger refuse_it before update on webhook_delivery for each row execute function refuse_it()`)
    const begun = async () => {
      const { rows } = await pool.query<{ attempt: number; lines: number }>(
        `select attempt, (select count(*)::int from webhook_attempt a where a.delivery_id = d.id) as lines
         from webhook_delivery d where id = any($1) order by array_position($1, id)`,
        [ids],
      )
      return rows.map(({ attempt, lines }) => [attempt, lines])
    }
    const begin = openBeginAttempt(service.runtime)
    await refuse(ids[1]!)
    const begins = await Promise.allSettled(ids.map((id) => begin(id)))
    expect(begins.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await begun()).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
    ])
  })
})
