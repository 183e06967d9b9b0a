import type { PgBoss } from 'pg-boss'
import { expect, test } from 'vitest'
import type { Notifier } from '../../../src/db/notifier.ts'
import { bossQueue } from '../../../src/queue/pgboss/boss-queue.ts'
import type { Reservation } from '../../../src/queue/reservation.ts'
import { newId } from '../../../src/values/id.ts'

const KIND = { queue: 'webhook' }
const KNOWN = 'INSERT INTO pgboss.job ( id, name) SELECT COALESCE(id, gen_random_uuid()), name'
const RESERVATION = {} as Reservation

test.each([
  ['as it is known', KNOWN, RESERVATION],
  ['in another way', 'INSERT INTO pgboss.job (name) VALUES ($1)', null],
])('where pg-boss queues jobs %s, room is reserved or nothing is', async (_how, text, expected) => {
  const boss = {
    createQueue: async () => undefined,
    findJobs: async () => [],
    getDb: () => ({ executeSql: async () => ({ rows: [] }) }),
    send: (_queue: string, _data: unknown, { db }: { db: { executeSql(text: string): unknown } }) =>
      db.executeSql(text),
  }
  const queue = bossQueue(async () => boss as unknown as PgBoss, {} as Notifier)
  await queue.prepare(KIND)
  queue.addLocalWorker(KIND, { wake: () => true, reserve: () => RESERVATION })
  expect(queue.reserve(KIND, newId('msg'), { concurrencyKey: 'a r' })).toBe(expected)
})
