import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import type { Change } from '../../setup/jobs/changes.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const DEADLINE_MS = 60_000

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  endCommands()
  await service.close()
  await cleanUp()
})

/** A folder for the files and a place for the state. */
async function placeOf() {
  const home = await makeTempDir()
  return { state: join(home, 'state.json'), output: join(home, 'files') }
}
type Place = Awaited<ReturnType<typeof placeOf>>

const pull = (account: string, { state, output }: Place) =>
  runHere(['data', 'pull', 'jobs', '--account', account, '--state', state, '-o', output], env)

interface Manifest {
  readonly complete_before: string
  readonly files: readonly { name: string; rows: number; bytes: number; sha256: string }[]
}

/** All rows in their order, after the manifest was compared with the files. */
async function rowsIn({ output }: Place): Promise<Change[]> {
  const { files } = JSON.parse(await readFile(join(output, 'manifest.json'), 'utf8')) as Manifest
  expect((await readdir(output)).sort()).toEqual([...files.map(({ name }) => name), 'manifest.json'].sort())
  const days = files.map(async ({ name, rows, bytes, sha256 }) => {
    const file = await readFile(join(output, name))
    expect([file.length, createHash('sha256').update(file).digest('hex')]).toEqual([bytes, sha256])
    const found = gunzipSync(file)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Change)
    expect(found).toHaveLength(rows)
    for (const { changed_at } of found) expect(name).toBe(`jobs-${changed_at.slice(0, 10)}.ndjson.gz`)
    return found
  })
  return (await Promise.all(days)).flat()
}

const insert = (account: string) => insertJob(service.runtime.db, account)
/** Jobs of two days. */
async function insertOfTwoDays(account: string): Promise<string[]> {
  const ids = [await insert(account), await insert(account)]
  await service.runtime.db.pool.query(`update job set changed_at = changed_at - interval '1 day' where id = $1`, [
    ids[0],
  ])
  return ids
}

describe('sonant data pull', () => {
  test('fills a file for each day, with a manifest, and then adds only what has changed', async () => {
    const { account } = await service.createCaller()
    const place = await placeOf()
    const ids = await insertOfTwoDays(account)
    expect(await pull(account, place)).toMatchObject({ code: 0, stderr: '' })
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(ids)
    const empty = await pull(account, place)
    expect([empty.code, empty.stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^0 rows, complete before 2/)])
    await deleteJob(service.runtime.as({ kind: 'system' }), { jobId: ids[0] as string })
    const later = await insert(account)
    await pull(account, place)
    const rows = await rowsIn(place)
    expect(rows.map(({ job_id }) => job_id)).toEqual([...ids, ids[0], later])
    expect(rows[2]).toMatchObject({ status: null, deleted_at: rows[2]?.changed_at })
  })

  test('a pull that ended before its state was written is repeated without a row twice', async () => {
    const { account } = await service.createCaller()
    const place = await placeOf()
    const ids = await insertOfTwoDays(account)
    await pull(account, place)
    await copyFile(place.state, `${place.state}.kept`)
    ids.push(await insert(account))
    await pull(account, place)
    // As a crash leaves it: files with their names, the state as before, a part of another file.
    await copyFile(`${place.state}.kept`, place.state)
    await writeFile(join(place.output, 'jobs-2026-01-01.ndjson.gz.part'), 'half')
    ids.push(await insert(account))
    await pull(account, place)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(ids)
  })

  test('a day file that was taken away begins anew, and one that is shorter than it was is refused', async () => {
    const { account } = await service.createCaller()
    const place = await placeOf()
    await insert(account)
    await pull(account, place)
    const [name = ''] = await readdir(place.output)
    await rm(join(place.output, name))
    const later = await insert(account)
    await pull(account, place)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual([later])
    await writeFile(join(place.output, name), '')
    await insert(account)
    expect(await pull(account, place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is shorter than the state says'),
    })
    expect(await readdir(place.output)).not.toContain(`${name}.part`)
  })

  test('keeps the ledger in the same way', async () => {
    const { account } = await service.createCaller(500n)
    const { state, output } = await placeOf()
    const args = ['data', 'pull', 'ledger', '--account', account, '--state', state, '-o', output]
    expect((await runHere(args, env)).stdout).toMatch(
      /^1 rows, complete before .*\nledger-\d{4}-\d\d-\d\d\.ndjson\.gz\n$/,
    )
    expect((await runHere(args, env)).stdout).toMatch(/^0 rows/)
    const name = (await readdir(output)).find((one) => one.startsWith('ledger-')) as string
    expect(JSON.parse(gunzipSync(await readFile(join(output, name))).toString())).toMatchObject({
      kind: 'grant',
      balance: 500,
    })
  })

  test('with an address it takes a key from the environment, and -o - prints the rows', async () => {
    const { account, key } = await service.createCaller()
    const { state } = await placeOf()
    const id = await insert(account)
    const args = ['data', 'pull', 'jobs', '--url', `${service.url}/`, '--state', state, '-o', '-']
    const first = await runHere(args, { SONANT_API_KEY: key })
    expect([first.code, JSON.parse(first.stdout), first.stderr]).toEqual([
      ...[0, expect.objectContaining({ job_id: id }), expect.stringMatching(/^1 rows, complete before/)],
    ])
    expect((await runHere([...args, '--key-env', 'OTHER'], { OTHER: key })).stdout).toBe('')
    const bad = await runHere(args, { SONANT_API_KEY: 'snt_none' })
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('Send a valid API key')])
  })

  test.each([
    [[], {}, 'Give either --account or --url.'],
    [['--account', 'a', '--url', 'http://127.0.0.1'], {}, 'Give either --account or --url.'],
    [['--url', 'http://127.0.0.1'], {}, 'Put an API key into the environment variable SONANT_API_KEY.'],
    [['--url', 'voice.example.com'], { SONANT_API_KEY: 'x' }, 'Give --url an address such as'],
  ])('%j is refused in a sentence', async (args, own, sentence) => {
    const { state, output } = await placeOf()
    const ran = await runHere(['data', 'pull', 'jobs', ...args, '--state', state, '-o', output], own)
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(sentence)])
  })

  test('a file that is no state of this feed is refused', async () => {
    const { account } = await service.createCaller()
    const place = await placeOf()
    for (const text of ['', '{}', '{"feed":"ledger","cursor":"x","files":{}}']) {
      await writeFile(place.state, text)
      expect(await pull(account, place)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not the state of a pull of jobs'),
      })
    }
  })
})

describe('an answer that breaks off', () => {
  let answers: ((response: ServerResponse) => void)[] = []
  let server: Server
  let url = ''
  beforeAll(async () => {
    server = createServer((_request, response) => answers.shift()?.(response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))

  const row = (n: number) => `${JSON.stringify({ job_id: `job_${n}`, changed_at: `2026-01-0${n}T00:00:00.000000Z` })}\n`
  const end = (rows: number) => JSON.stringify({ cursor: 'c', rows, complete_before: '2026-02-01T00:00:00.000000Z' })
  const argsOf = ({ state, output }: Place) => ['data', 'pull', 'jobs', '--url', url, '--state', state, '-o', output]

  test.each([
    ['at its connection', (response: ServerResponse) => response.write(row(1), () => response.destroy())],
    ['before its last line', (response: ServerResponse) => response.end(row(1))],
    ['with rows missing', (response: ServerResponse) => response.end(row(1) + end(2))],
  ])('%s changes nothing', async (_where, answer) => {
    const place = await placeOf()
    answers = [answer]
    const broken = await runHere(argsOf(place), { SONANT_API_KEY: 'x' })
    expect(broken.code).toBe(1)
    expect(await readdir(place.output)).toEqual([])
    answers = [(response) => response.end(row(1) + row(2) + end(2))]
    expect((await runHere(argsOf(place), { SONANT_API_KEY: 'x' })).code).toBe(0)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_2'])
  })

  test('a day that comes again in one pull goes on in its file', async () => {
    const place = await placeOf()
    answers = [(response) => response.end(row(1) + row(2) + row(1) + end(3))]
    expect((await runHere(argsOf(place), { SONANT_API_KEY: 'x' })).code).toBe(0)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_1', 'job_2'])
  })

  test('a pull that is killed with -9 in the middle is repeated without loss and without a row twice', async () => {
    const place = await placeOf()
    await mkdir(place.output)
    let begun = false
    const begin = (response: ServerResponse) => {
      response.write(row(1) + row(2) + row(3))
      begun = true
    }
    answers = [begin]
    const command = startCommand([process.execPath, 'bin/sonant.js', ...argsOf(place)], { SONANT_API_KEY: 'x' })
    const parts = async () => (await readdir(place.output)).filter((name) => name.endsWith('.part')).length
    await until(async () => begun && (await parts()) > 0, DEADLINE_MS, 'a part of a file')
    command.kill('SIGKILL')
    await command.ended()
    answers = [(response) => response.end(row(1) + row(2) + row(3) + end(3))]
    expect((await runHere(argsOf(place), { SONANT_API_KEY: 'x' })).code).toBe(0)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_2', 'job_3'])
  })
})
