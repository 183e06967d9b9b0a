import { randomBytes } from 'node:crypto'
import type { Database } from '../../../src/db/database.ts'
import { foldJobRollUp } from '../../../src/jobs/rollup/fold-job-rollup.ts'
import { newId } from '../../../src/values/id.ts'
import { idAt } from './jobs.ts'

export const HOUR_MS = 3_600_000
/** Jobs are submitted within so many hours from this moment on. */
export const START = Date.parse('2026-02-26T07:00:00Z')
export const HOURS = 80

/** Numbers that look random and are the same at every run. */
export function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export type Random = () => number
export const among = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!
export const some = <T>(random: Random, values: readonly T[]): T[] => values.filter(() => random() < 0.4)
export const timeIn = (random: Random) => new Date(START + Math.floor(random() * HOURS * HOUR_MS))
const picked = (status: string) =>
  `id in (select id from job where status = '${status}' order by md5(id || $1) limit 3)`

/** One step in the life of some jobs: submitted, claimed, released, completed with audio, failed, cancelled, submitted again, deleted. */
export async function live(
  { db }: { readonly db: Database },
  accounts: readonly string[],
  random: Random,
  isFolded = true,
): Promise<void> {
  const run = (sql: string, values: unknown[] = []) => db.pool.query(sql, values)
  const salt = String(random())
  const submit = () =>
    run(
      `insert into job (id, account_id, type, endpoint_key, api_key_id, inputs, cost, created_at) values ($1, $2, $3, $4, $5, $6, $7,
         to_timestamp($8::float8 / 1000))`,
      (() => {
        const at = timeIn(random)
        const type = among(random, ['voice', 'voice', 'generate', 'companion_chat'])
        const text = 'ä'.repeat(1 + Math.floor(random() * 40))
        const key = among(random, ['key_a', 'key_b', null])
        return [
          idAt(at),
          among(random, accounts),
          type,
          `${type}.${among(random, ['x', 'y'])}`,
          key,
          { text },
          7,
          at.getTime(),
        ]
      })(),
    )
  const claim = () =>
    run(
      `update job set status = 'processing', attempt = attempt + 1, started_at = created_at + ('x' || md5(id))::bit(12)::int * interval '1 ms' where ${picked('queued')}`,
      [salt],
    )
  const release = () => run(`update job set status = 'queued', hand_backs = 1 where ${picked('processing')}`, [salt])
  const progress = () => run(`update job set chunks_done = 1 where ${picked('processing')}`, [salt])
  const complete = async () => {
    const { rows } = await run(
      `update job set status = 'completed', completed_at = started_at + ('x' || md5(id || 'run'))::bit(16)::int * interval '1 ms',
         is_prohibited = case when type = 'companion_chat' then md5(id) < '8' end where ${picked('processing')} returning id`,
      [salt],
    )
    for (const { id } of rows)
      await run(
        `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms) values ($1, $2, 'audio', $2, 'audio/wav', 4, $3, 1500)`,
        [newId('art'), id, randomBytes(32)],
      )
  }
  const fail = (status: string, code: string) =>
    run(
      `update job set status = 'failed', completed_at = created_at + interval '5 s', error_code = '${code}' where ${picked(status)}`,
      [salt],
    )
  const cancel = () => fail('queued', 'JOB_CANCELLED')
  const timeOut = () => fail('processing', 'JOB_TIMEOUT')
  const remove = () => run(`delete from job where ${picked(among(random, ['completed', 'failed', 'queued']))}`, [salt])
  const fold = () => foldJobRollUp(db)
  const steps = [submit, submit, submit, submit, claim, claim, complete, complete, release, progress]
  await among<() => Promise<unknown>>(random, [...steps, timeOut, cancel, remove, ...(isFolded ? [fold] : [])])()
}
