import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { KeptTexts } from '../../../src/voice/open-text/kept-texts.ts'
import { openText } from '../../../src/voice/open-text/open-text.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

async function open(): Promise<string> {
  const accountId = await service.createAccount()
  const ctx = { ...service.runtime, actor: { kind: 'account', accountId, credits: 1000n } as const }
  return (await openText(ctx, { slug: 'tts', inputs: { voice: 'clara' } }, ['Hello there. '])).jobId
}

test('one statement keeps all texts open, waits for no row, and comes no more once they are over', async () => {
  const ids = await Promise.all([open(), open(), open()])
  const [first = '', second = '', locked = ''] = ids
  const { pool } = service.runtime.db
  const due = async () =>
    (
      await pool.query<{ id: string }>(
        `select id from job where id = any($1) and open_until > now() + interval '50 s' order by id`,
        [ids],
      )
    ).rows.map(({ id }) => id)
  const kept = new KeptTexts(service.runtime, 50)
  const holder = await pool.connect()
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const sent = () =>
    query.mock.calls.flatMap(([one]: unknown[]) => {
      const { name, values } = one as { name?: string; values?: [string[]] }
      return name === 'keep_texts' ? [values?.[0].length] : []
    })
  try {
    await holder.query('begin')
    await holder.query('select from job where id = $1 for update', [locked])
    for (const id of ids) kept.add(id)
    expect(sent()).toEqual([])
    await until(async () => (await due()).length === 2, 20_000, 'two texts to be kept')
    expect(await due()).toEqual([first, second].sort())
    expect(new Set(sent())).toEqual(new Set([3]))
    await holder.query('rollback')
    await until(async () => (await due()).length === 3, 20_000, 'all texts to be kept')
    for (const id of ids) kept.remove(id)
    const before = sent().length
    const other = new KeptTexts(service.runtime, 50)
    other.add(first)
    await until(() => sent().length > before + 2, 20_000, 'the statements of another')
    other.remove(first)
    expect(sent().slice(before)).toEqual(
      sent()
        .slice(before)
        .map(() => 1),
    )
  } finally {
    query.mockRestore()
    holder.release()
  }
})
