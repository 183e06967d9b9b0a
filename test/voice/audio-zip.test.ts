import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startWorker, type Worker } from '../../src/worker/start-worker.ts'
import { filesIn } from '../setup/checks/zip.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { ask, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'

interface Answer {
  readonly audioZip: {
    readonly url: string
    readonly expiresAt: string
    readonly files: number
    readonly bytes: number
    readonly missingIds: readonly string[]
  }
}

const ZIP = 'query ($ids: [ID!]!) { audioZip(ids: $ids) { url expiresAt files bytes missingIds } }'
const LONG = `${'Words '.repeat(30)}end.`

let service: TestRuntime
let worker: Worker
let account: string
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  await applyEndpoint(service.runtime, 'quick', { pool: 'quick' })
  worker = await startWorker(service.runtime, { pools: ['quick'], engines: standInEngines(() => undefined) })
  account = await service.createAccount()
  key = (await service.createKey(account, ['account:admin', 'job:read', 'generate:voice'])).apiKey
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

async function spoken(...texts: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) ids.push(await submitText(service.url, key, 'quick', text))
  await allFinished(service.runtime, ids)
  return ids
}

const zipOf = async (ids: readonly string[]) => (await read<Answer>(service.url, key, ZIP, { ids })).audioZip

describe('audioZip', () => {
  test('holds the stored audio by the first words, and says what is missing', async () => {
    const same = 'Is it "a/b": yes?'
    const ids = await spoken(same, LONG, same, '你好，世界。', 'Gone soon.')
    const failed = await insertJob(service.runtime.db, account, { status: 'failed', inputs: { text: 'It failed.' } })
    const gone = ids[4]!
    const [file] = (
      await service.runtime.db.pool.query('select storage_key as key from artifact where job_id = $1', [gone])
    ).rows
    const { url, files, bytes, missingIds } = await zipOf([...ids, failed, ids[0]!])
    expect([files, missingIds]).toEqual([5, [failed]])
    await service.runtime.storage.delete(file.key)
    const reply = await fetch(url)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="speech_\d{4}-\d\d-\d\d\.zip"$/)
    const found = filesIn(Buffer.from(await reply.arrayBuffer()))
    expect([...found.keys()]).toEqual([
      '1 Is it a b yes.wav',
      `2 ${'Words '.repeat(10).trim()}.wav`,
      '3 Is it a b yes.wav',
      '4 你好，世界。.wav',
      'Missing audio.txt',
    ])
    const audio = await service.runtime.db.pool.query<{ bytes: string; sum: string }>(
      `select sum(bytes)::text as sum, max(bytes) filter (where job_id = $2)::text as bytes from artifact where job_id = any($1)`,
      [ids, gone],
    )
    expect(String(bytes)).toBe(audio.rows[0]?.sum)
    const sizes = [...found].flatMap(([name, content]) => (name.endsWith('.wav') ? [content.length] : []))
    expect(sizes.reduce((sum, size) => sum + size, Number(audio.rows[0]?.bytes))).toBe(bytes)
    expect(found.get('1 Is it a b yes.wav')?.toString('latin1', 0, 4)).toBe('RIFF')
    const missing = found.get('Missing audio.txt')?.toString() ?? ''
    expect(missing).toBe(`\ufeffGone soon (${gone}): its audio was deleted.\r\nIt failed (${failed}): it failed.\r\n`)
  })

  test('has a signature of its own, and shows nothing of other accounts', async () => {
    const ids = await spoken('Mine.')
    const foreign = await insertJob(service.runtime.db, await service.createAccount())
    const { url, missingIds } = await zipOf([...ids, foreign, 'job_nonsense'])
    expect(missingIds).toEqual([foreign, 'job_nonsense'])
    expect(url).not.toContain(foreign.slice(4))
    expect((await fetch(url.replace(ids[0]!.slice(4), foreign.slice(4)))).status).toBe(403)
    const many = await spoken(...Array.from({ length: 3 }, (_, n) => `Number ${n}.`))
    const filled = Array.from({ length: 97 }, () => foreign)
    expect((await zipOf([...many, ...filled])).files).toBe(3)
  })

  test('answers HEAD without opening a file', async () => {
    const { url } = await zipOf(await spoken('Headed.'))
    const read = vi.spyOn(service.runtime.storage, 'read')
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(filesIn(Buffer.from(await (await fetch(url)).arrayBuffer())).size).toBe(1)
    expect(read).toHaveBeenCalledTimes(1)
    read.mockRestore()
  })

  test('refuses no jobs, too many, jobs without audio, and callers that may not read', async () => {
    const queued = await insertJob(service.runtime.db, account, { status: 'queued' })
    const refused = async (ids: readonly string[], by = key) => {
      const { extensions } = (await ask(service.url, by, ZIP, { ids })).errors?.[0] ?? {}
      return [extensions?.code, extensions?.details?.[0]?.path]
    }
    for (const ids of [[], Array.from({ length: 101 }, () => queued), [queued], ['job_nonsense']])
      expect(await refused(ids)).toEqual(['INVALID_REQUEST', '/ids'])
    const speaker = (await service.createKey(account, ['generate:voice'])).apiKey
    expect(await refused([queued], speaker)).toEqual(['FORBIDDEN', undefined])
  })
})
