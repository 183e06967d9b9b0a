import { createHash } from 'node:crypto'
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
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
const MANIFEST = 'jobs.manifest.json'

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
  const { files } = JSON.parse(await readFile(join(output, MANIFEST), 'utf8')) as Manifest
  expect((await readdir(output)).sort()).toEqual([...files.map(({ name }) => name), MANIFEST].sort())
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

const dayFilesIn = async ({ output }: Place) => (await readdir(output)).filter((name) => name.endsWith('.gz'))

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

  test('a day file that was taken away begins anew, and one that was changed is refused', async () => {
    const { account } = await service.createCaller()
    const place = await placeOf()
    await insert(account)
    await pull(account, place)
    const path = join(place.output, (await dayFilesIn(place))[0] as string)
    await rm(path)
    const later = await insert(account)
    await pull(account, place)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual([later])
    const kept = await readFile(path)
    await insert(account)
    for (const other of [Buffer.alloc(0), Buffer.concat([kept, kept]), Buffer.alloc(kept.length)]) {
      await writeFile(path, other)
      expect(await pull(account, place)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`"${path}" is not as this state knows it: put it back, or take it away.`),
      })
      expect(await readFile(path)).toEqual(other)
      expect((await readdir(place.output)).sort()).toEqual([basename(path), MANIFEST])
    }
  })

  test('a folder is of one state: pulls of other accounts and states leave it alone', async () => {
    const [one, other] = [await service.createCaller(), await service.createCaller()]
    const place = await placeOf()
    const elsewhere = await placeOf()
    const id = await insert(one.account)
    await pull(one.account, place)
    await insert(other.account)
    const refused = { code: 1, stderr: expect.stringContaining('do not belong together') }
    expect(await pull(other.account, { ...elsewhere, output: place.output })).toMatchObject(refused)
    expect(await pull(one.account, { ...place, output: elsewhere.output })).toMatchObject(refused)
    expect(await pull(one.account, { ...place, output: '-' })).toMatchObject({ ...refused, stdout: '' })
    expect(await rowsIn(place)).toMatchObject([{ job_id: id }])
  })

  test('a folder that has lost its manifest is taken by no other state', async () => {
    const [one, other] = [await service.createCaller(), await service.createCaller()]
    const place = await placeOf()
    const id = await insert(one.account)
    await pull(one.account, place)
    await rename(join(place.output, MANIFEST), `${place.state}.manifest`)
    expect(await pull(other.account, { ...(await placeOf()), output: place.output })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not as this state knows it'),
    })
    expect(await readdir(place.output)).toEqual(await dayFilesIn(place))
    await rename(`${place.state}.manifest`, join(place.output, MANIFEST))
    expect(await pull(one.account, place)).toMatchObject({ code: 0 })
    expect(await rowsIn(place)).toMatchObject([{ job_id: id }])
  })

  test('a state whose rows were printed keeps no folder', async () => {
    const { account } = await service.createCaller()
    const place = await placeOf()
    const id = await insert(account)
    expect(JSON.parse((await pull(account, { ...place, output: '-' })).stdout)).toMatchObject({ job_id: id })
    expect(await pull(account, place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('do not belong together'),
    })
  })

  test('jobs and ledger share a folder, and files of others stay', async () => {
    const { account } = await service.createCaller(500n)
    const place = await placeOf()
    await mkdir(place.output)
    const [film, part] = ['film.mp4.part', 'ledger-2026-01-01.ndjson.gz.part']
    for (const name of [film, part]) await writeFile(join(place.output, name), 'of somebody else')
    await insert(account)
    await pull(account, place)
    const [jobs] = await dayFilesIn(place)
    expect((await readdir(place.output)).sort()).toEqual([film, jobs, MANIFEST, part])
    const state = `${place.state}.ledger`
    const args = ['data', 'pull', 'ledger', '--account', account, '--state', state, '-o', place.output]
    expect(await runHere(args, env)).toMatchObject({ code: 0 })
    const ledger = `ledger-${jobs?.slice('jobs-'.length)}`
    expect((await readdir(place.output)).sort()).toEqual([film, jobs, MANIFEST, ledger, 'ledger.manifest.json'])
    expect(JSON.parse(await readFile(join(place.output, MANIFEST), 'utf8'))).toMatchObject({ files: [{ name: jobs }] })
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

  test('rows that nobody reads are pulled again', async () => {
    const { account } = await service.createCaller()
    const { state } = await placeOf()
    const id = await insert(account)
    const args = ['data', 'pull', 'jobs', '--account', account, '--state', state, '-o', '-']
    const line = ['set -o pipefail; "$@" | true', 'bash', process.execPath, 'bin/sonant.js', ...args]
    const command = startCommand(['bash', '-c', ...line], env)
    expect([await command.ended(), command.stderr()]).toEqual([1, expect.stringContaining('did not take all rows')])
    expect(JSON.parse((await runHere(args, env)).stdout)).toMatchObject({ job_id: id })
  })

  test.each([
    [[], {}, 'Give either --account or --url.'],
    [['--account', 'a', '--url', 'http://127.0.0.1'], {}, 'Give either --account or --url.'],
    [['--url', 'http://127.0.0.1'], {}, 'Put an API key into the environment variable SONANT_API_KEY.'],
    [['--url', 'voice.example.com'], { SONANT_API_KEY: 'x' }, 'Give --url an address such as'],
    [['--account', 'a', '--limit', '0'], {}, 'Give --limit a number from 1 to 10000000.'],
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
  type Answer = (response: ServerResponse, target: string) => unknown
  let answers: Answer[] = []
  let server: Server
  let url = ''
  beforeAll(async () => {
    server = createServer((request, response) => answers.shift()?.(response, request.url as string))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))

  const row = (n: number, id = `job_${n}`) =>
    `${JSON.stringify({ job_id: id, changed_at: `2026-01-0${n}T00:00:00.000000Z` })}\n`
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
    expect(await readdir(place.output)).toEqual([MANIFEST])
    answers = [(response) => response.end(row(1) + row(2) + end(2))]
    expect((await runHere(argsOf(place), { SONANT_API_KEY: 'x' })).code).toBe(0)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_2'])
  })

  const pullOf = async (place: Place, ...rows: string[]) => {
    answers = [(response) => response.end(rows.join('') + end(rows.length))]
    expect(await runHere(argsOf(place), { SONANT_API_KEY: 'x' })).toMatchObject({ code: 0 })
  }
  const DAYS = ['jobs-2026-01-01.ndjson.gz', 'jobs-2026-01-02.ndjson.gz'] as const
  /** Two pulls, and the second one as it is at each of its steps. */
  async function steps() {
    const before = await placeOf()
    await pullOf(before, row(1))
    const after = await placeOf()
    await cp(before.output, after.output, { recursive: true })
    await copyFile(before.state, after.state)
    await pullOf(after, row(1, 'job_later'), row(2))
    return { before, after }
  }
  const moveIn = (name: string, from: Place, to: Place, as = name) =>
    copyFile(join(from.output, name), join(to.output, as))

  test('a pull that was killed before its state was written has changed nothing', async () => {
    const { before, after } = await steps()
    for (const name of DAYS) await moveIn(name, after, before, `${name}.part`)
    // By then the service no longer has one of the rows.
    await pullOf(before, row(2))
    expect((await rowsIn(before)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_2'])
  })

  test('a pull that was killed before its files had their names is ended by the next one', async () => {
    const { before, after } = await steps()
    await copyFile(after.state, before.state)
    await moveIn(DAYS[0], after, before)
    await moveIn(DAYS[1], after, before, `${DAYS[1]}.part`)
    await pullOf(before)
    expect((await rowsIn(before)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_later', 'job_2'])
  })

  test('a pull that was killed after a day file was taken away goes on with whole files', async () => {
    const { before, after } = await steps()
    await rm(join(before.output, DAYS[0]))
    await pullOf(before, row(1, 'job_later'))
    expect((await rowsIn(before)).map(({ job_id }) => job_id)).toEqual(['job_later'])
    await moveIn(DAYS[0], after, before, `${DAYS[0]}.part`)
    await pullOf(before, row(1, 'job_last'))
    expect((await rowsIn(before)).map(({ job_id }) => job_id)).toEqual(['job_later', 'job_last'])
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
    const parts = async () => (await readdir(place.output)).filter((name) => name.endsWith('.gz.part')).length
    await until(async () => begun && (await parts()) > 0, DEADLINE_MS, 'a part of a file')
    command.kill('SIGKILL')
    await command.ended()
    answers = [(response) => response.end(row(1) + row(2) + row(3) + end(3))]
    expect((await runHere(argsOf(place), { SONANT_API_KEY: 'x' })).code).toBe(0)
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(['job_1', 'job_2', 'job_3'])
  })

  test('a first load that is killed in the middle goes on after its last whole answer', async () => {
    const { account, key } = await service.createCaller()
    const ids = [await insert(account), await insert(account), await insert(account), await insert(account)]
    const asked: URLSearchParams[] = []
    const forward = async (target: string) => {
      const address = new URL(target, service.url)
      asked.push(address.searchParams)
      return (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).text()
    }
    const place = await placeOf()
    await mkdir(place.output)
    const args = [...argsOf(place), '--limit', '2']
    const passOn: Answer = async (response, target) => response.end(await forward(target))
    let isStuck = false
    const stick: Answer = async (response, target) => {
      response.write((await forward(target)).split('\n')[0])
      isStuck = true
    }
    answers = [passOn, stick]
    const command = startCommand([process.execPath, 'bin/sonant.js', ...args], { SONANT_API_KEY: 'x' })
    await until(async () => isStuck, DEADLINE_MS, 'the second answer')
    command.kill('SIGKILL')
    await command.ended()
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(ids.slice(0, 2))
    answers = [passOn, passOn]
    const again = await runHere(args, { SONANT_API_KEY: 'x' })
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^2 rows, complete before 2/)])
    expect((await rowsIn(place)).map(({ job_id }) => job_id)).toEqual(ids)
    const [first, stuck, repeated] = asked
    expect([first?.get('since'), repeated?.get('since')]).toEqual([null, stuck?.get('since')])
  })
})
