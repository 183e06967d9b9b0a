import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'
import { applyEndpoint, submitText } from '../../setup/voice-jobs.ts'

/** Reading 20,000 rows by an index takes about 20,000 of them, by the table 700. */
const FEW_PAGES = 250
const FULL_SERVER = 'http://full.invalid'

describe('a claim', { timeout: 60_000 }, () => {
  let service: TestRuntime
  let client: PoolClient
  beforeAll(async () => {
    service = await startTestRuntime()
    client = await service.runtime.db.pool.connect()
  })
  afterAll(async () => {
    client.release()
    await service.close()
  })

  const query = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
  const submitTo = async (slug: string): Promise<string> => {
    await applyEndpoint(service.runtime, slug, { pool: slug, max_in_flight: 1 })
    const { key } = await service.createCaller()
    return submitText(service.url, key, slug, 'A job like any other.')
  }
  const claim = (queue: string, prefix = '') =>
    query(`${prefix} select * from claim_queued($1, 4, '', 'w', $2)`, [queue, JSON.stringify({ [FULL_SERVER]: 0 })])
  const pagesOf = async (queue: string): Promise<number> => {
    const { Plan } = (await claim(queue, 'explain (analyze, buffers, format json)'))[0]['QUERY PLAN'][0]
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
  }
  /** Claims the one job there is, then has others come, and the job again. */
  const flood = async (slug: string, server: string | null): Promise<void> => {
    const jobId = await submitTo(slug)
    expect(await claim(`voice.${slug}`)).toMatchObject([{ job_id: jobId }])
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy)
       select name, '{"jobId":"job_none"}', 'acct_other', coalesce($2, group_tier), retry_limit, policy
       from pgboss.job, generate_series(1, 20000) where data->>'jobId' = $1`,
      [jobId, server],
    )
    await query(`update pgboss.job set state = 'created' where data->>'jobId' = $1`, [jobId])
  }

  test('reads a few pages only, though 20,000 jobs have come since its connection planned it', async () => {
    await flood('deep', null)
    expect(await pagesOf('voice.deep')).toBeLessThan(FEW_PAGES)
    expect(await claim('voice.deep')).toHaveLength(4)
    expect(await pagesOf('voice.deep')).toBeLessThan(FEW_PAGES)
  })

  test('reads a few pages only among 20,000 jobs that wait for a server without capacity', async () => {
    await flood('beside', FULL_SERVER)
    expect(await pagesOf('voice.beside')).toBeLessThan(FEW_PAGES)
    expect(await claim('voice.beside')).toEqual([])
    expect(await pagesOf('voice.beside')).toBeLessThan(FEW_PAGES)
  })

  test('does not wait for the disk, but what its connection does next waits for both', async () => {
    const setting = async () => (await query('show synchronous_commit'))[0].synchronous_commit
    await query('begin')
    await claim('voice.nobody')
    expect(await setting()).toBe('off')
    await query('commit')
    expect(await setting()).toBe('on')
  })
})

describe('a submission where no worker is', { timeout: 60_000 }, () => {
  test('wakes the workers of other processes with its own commit', async () => {
    const service = await startTestRuntime()
    const { key } = await service.createCaller()
    await applyEndpoint(service.runtime, 'away', { pool: 'away' })
    const client = await service.runtime.db.pool.connect()
    const heard = new Promise<number>((resolve) => {
      client.on('notification', ({ payload, processId }) => payload === 'voice.away' && resolve(processId))
    })
    await client.query('listen sonant_queue')
    await submitText(service.url, key, 'away', 'Who hears me?')
    const { rows } = await client.query('select application_name from pg_stat_activity where pid = $1', [await heard])
    expect(rows).toEqual([{ application_name: 'sonant' }])
    client.release(true)
    await service.close()
  })
})
