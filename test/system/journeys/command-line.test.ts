import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { call } from '../../setup/http.ts'
import { endpoint } from '../../setup/jobs/fixtures.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir, run, type Service, sonantOn, startService } from '../../setup/processes/process.ts'

type Account = { account_id: string; name: string; credits: number }
type Used = { name: string; last_used_at: string | null }
type Key = { api_key_id: string; api_key: string; scopes: string[] }

// Each command is a process of its own, and several run in one test.
const DEADLINE_MS = 180_000
const MAIN = fileURLToPath(new URL('../../../bin/sonant.js', import.meta.url))
const UNLIMITED = { monthly_limit: null, used_this_month: 0, max_running: null, running_jobs: 0 }
const TYPE_ID = { account: /^acct_[0-9a-z]{26}$/, key: /^key_[0-9a-z]{26}$/ }

describe('the command line next to a running server', { timeout: DEADLINE_MS }, () => {
  let service: Service
  let directory = ''
  let account: Account
  let key: Key

  const voices = (slug: string, apiKey: string) => call(`${service.url}/api/v1/voice/${slug}/voices`, { key: apiKey })
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runHere([...args, '--json'], service.env)
    expect(code, args.join(' ')).not.toBe(0)
    expect(stderr + stdout).not.toMatch(/\n\s+at .*:\d+:\d+/)
    expect(stderr + stdout).toMatch(/\w/)
    return stderr + stdout
  }

  beforeAll(async () => {
    service = await startService()
    directory = await makeTempDir()
    account = await service.sonant<Account>('accounts', 'create', '--name', 'studio', '--credits', '100')
    key = await service.sonant<Key>('keys', 'create', '--account', 'studio', '--name', 'first')
  })
  afterAll(cleanUp)

  test('the first start made the account demo with a million credits', async () => {
    const demo = await sonantHere(service.env, 'accounts', 'show', '--account', 'demo')
    const id = expect.stringMatching(TYPE_ID.account)
    expect(demo).toEqual({ account_id: id, name: 'demo', credits: 1_000_000, ...UNLIMITED, disabled_at: null })
  })

  test('an account is created, credited and shown, by id and by name', async () => {
    const id = account.account_id
    const made = { account_id: expect.stringMatching(TYPE_ID.account), name: 'studio', credits: 100 }
    expect(account).toEqual({ ...made, ...UNLIMITED, disabled_at: null })
    const credited = await sonantHere(service.env, 'accounts', 'credit', '--account', id, '--amount', '25')
    expect(credited).toEqual({ account_id: id, credits: 125 })
    const here = (...args: string[]) => sonantHere(service.env, 'accounts', ...args)
    const once = ['credit', '--account', 'studio', '--amount', '5', '--idempotency-key', 'invoice 7']
    for (const args of [once, once]) expect(await here(...args)).toMatchObject({ credits: 130 })
    for (const name of [id, 'studio'])
      expect(await here('show', '--account', name)).toEqual({ ...account, credits: 130 })
  })

  test('a key is shown once, holds the default scopes or exactly the given ones, and works', async () => {
    expect(key).toEqual({
      api_key_id: expect.stringMatching(TYPE_ID.key),
      api_key: expect.stringMatching(/^snt_[0-9A-Za-z]{42}$/),
      scopes: expect.toSatisfy((scopes: string[]) => `${[...scopes].sort()}` === 'generate:voice,job:read'),
    })
    expect((await voices('tts', key.api_key)).status).toBe(200)
    const options = [
      '--account',
      account.account_id,
      '--name',
      'reader',
      '--scopes',
      'job:read,voice:extra',
      '--expires',
      '2100-01-31',
    ]
    const reader = await sonantHere<Key>(service.env, 'keys', 'create', ...options)
    expect([...reader.scopes].sort()).toEqual(['job:read', 'voice:extra'])
    expect((await voices('tts', reader.api_key)).status).toBe(403)
  })

  test('a deleted key is 401 on the very next request', async () => {
    const doomed = await makeKey(service.env, 'studio')
    expect((await voices('tts', doomed.apiKey)).status).toBe(200)
    const deleted = await sonantHere(service.env, 'keys', 'delete', doomed.apiKeyId)
    expect((await voices('tts', doomed.apiKey)).status).toBe(401)
    expect(deleted).toEqual({ api_key_id: doomed.apiKeyId, deleted: true })
  })

  test('lists are tables with heads, and with --json items with the ids and names that creating them gave', async () => {
    const listed = (...args: string[]) => sonantHere<{ items: unknown[] }>(service.env, ...args)
    const accounts = await listed('accounts', 'list')
    // The use of a key is written a moment after its request.
    const ofStudio = () => listed('keys', 'list', '--account', 'studio') as Promise<{ items: Used[] }>
    const isNoted = async () =>
      (await ofStudio()).items.some((one) => one.name === 'first' && one.last_used_at !== null)
    await expect.poll(isNoted, { timeout: DEADLINE_MS }).toBe(true)
    const keys = await ofStudio()
    const endpoints = await listed('endpoints', 'list')
    const workflows = await listed('workflows', 'list')
    const workers = await listed('workers', 'list')
    expect(accounts.items).toEqual([
      {
        account_id: expect.stringMatching(TYPE_ID.account),
        name: 'demo',
        credits: 1_000_000,
        ...UNLIMITED,
        disabled_at: null,
      },
      { ...account, credits: expect.any(Number) },
    ])
    const { api_key_id, scopes } = key
    const first = { api_key_id, name: 'first', scopes, created_at: expect.stringMatching(/Z$/), expires_at: null }
    expect(keys.items).toContainEqual({ ...first, last_used_at: expect.stringMatching(/Z$/), ...UNLIMITED })
    const expiring = { name: 'reader', expires_at: '2100-01-31T00:00:00.000Z' }
    expect(keys.items).toContainEqual(expect.objectContaining(expiring))
    expect(JSON.stringify(keys)).not.toContain('snt_')
    expect(endpoints.items).toMatchObject([{ slug: 'tts', published: true, required_scope: null, voices: 11 }])
    expect(workflows).toEqual({ items: [] })
    expect(workers.items).toMatchObject([{ worker_id: expect.stringMatching(/^wrk_/), alive: true, pools: ['espeak'] }])
    const { stdout } = await run(['accounts', 'list'], service.env)
    const keyTable = (await runHere(['keys', 'list', '--account', 'studio'], service.env)).stdout
    expect(keyTable).toMatch(
      /^KEY +NAME +SCOPES +CREATED \(UTC\) +EXPIRES \(UTC\) +LAST USED \(UTC\) +MONTHLY LIMIT +USED THIS MONTH +MAX RUNNING +RUNNING\n/,
    )
    expect(stdout).toMatch(
      /^ACCOUNT +NAME +CREDITS +MONTHLY LIMIT +USED THIS MONTH +MAX RUNNING +RUNNING +DISABLED \(UTC\)\nacct_\w+ +demo +1000000 +- +0 +- +0 +-\nacct_\w+ +studio +\d+ +- +0 +- +0 +-\n$/,
    )
  })

  test('an endpoint that is shown can be applied again as it stands', async () => {
    const { stdout } = await run(['endpoints', 'show', 'tts'], service.env)
    const file = join(directory, 'shown.yaml')
    await writeFile(file, stdout)
    const before = await call(`${service.url}/api/v1/public/voice`)
    expect(await sonantHere(service.env, 'endpoints', 'apply', file)).toEqual({ applied: ['tts'] })
    expect((await call(`${service.url}/api/v1/public/voice`)).text).toBe(before.text)
    expect(await refused('endpoints', 'show', 'nothing')).toContain(
      'No endpoint or workflow with the slug \\"nothing\\".',
    )
  })

  test('wrong arguments are refused with a reason and change nothing', async () => {
    const { code, stderr } = await run(['accounts', 'show', '--account', 'nobody'], service.env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('nobody')])
    expect(await refused('accounts', 'show', '--account', 'nobody')).toContain('nobody')
    for (const credits of ['1.5', 'lots', '99999999999999999999'])
      expect(await refused('accounts', 'create', '--name', 'broke', `--credits=${credits}`)).toMatch(/credits/i)
    expect(await refused('accounts', 'create', '--name', 'broke', '--credits=-5')).toMatch(/credits/i)
    expect(await refused('accounts', 'show', '--account', 'broke')).toContain('broke')
    const impostor = ['--name', account.account_id, '--credits', '1']
    expect(await refused('accounts', 'create', ...impostor)).toMatch(/another name/)
    expect(await refused('accounts', 'credit', '--account', 'studio', '--amount', 'lots')).toMatch(/amount/i)
    expect(await refused('keys', 'create', '--account', 'studio', '--name', 'x', '--scopes', 'no good!')).toMatch(
      /scope/i,
    )
    for (const expires of ['2020-01-01', 'soon'])
      await refused('keys', 'create', '--account', 'studio', '--name', 'x', '--expires', expires)
    await refused('keys', 'create', '--account', 'nobody', '--name', 'x')
    await refused('keys', 'delete', 'key_00000000000000000000000000')
    await refused('endpoints', 'delete', 'nothing')
    expect(await refused('jobs', 'cancel', 'job_x')).toMatch(/No voice or generation job .*job_x/)
    expect(await refused('jobs', 'list', '--account', 'studio', '--status', 'foo')).toMatch(/--status .*queued/)
    expect(await refused('endpoints', 'apply', join(directory, 'absent.yaml'))).toContain('absent.yaml')
    await refused('say', 'Hello', '--voice', 'nobody', '-o', join(directory, 'never.wav'))
    const nowhere = ['-o', join(directory, 'absent', 'never.wav')]
    expect(await refused('say', 'Hello', '--account', 'studio', ...nowhere)).toContain('INVALID_REQUEST')
    expect(await sonantHere(service.env, 'accounts', 'show', '--account', 'studio')).toMatchObject({ credits: 130 })
  })
})

describe('a violation in a command line', { timeout: DEADLINE_MS }, () => {
  test.for([
    ['accounts', 'create'],
    ['accounts', 'create', '--name', 'a', '--credits', '1', '--nonsense'],
    ['keys', 'delete'],
    ['nonsense'],
    ['jobs', 'show', 'a', 'b'],
  ])('is one JSON document with --json: %s', async (args) => {
    const { code, stdout, stderr } = await runHere([...args, '--json'], {})
    expect(code).toBe(1)
    const refusal = JSON.parse(stdout)
    expect(refusal).toEqual({ error: expect.stringMatching(/^(?!error:)\w/), error_code: 'INVALID_REQUEST' })
    expect(stderr).toContain(refusal.error)
  })

  test('is reported in words alone without --json', async () => {
    const { code, stdout, stderr } = await run(['accounts', 'create'], {})
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('--name')
  })
})

describe('a command', { timeout: DEADLINE_MS }, () => {
  test('--version tells the version of package.json', async () => {
    expect(await run(['--version'], {})).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
  })

  test.each([
    ['--version', '--json'],
    ['--json', '--version'],
  ])('%s %s is one JSON document', async (...args) => {
    const { code, stdout, stderr } = await run(args, {})
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { version: manifest.version }, ''])
  })

  test('--help marks the options that it does not run without', async () => {
    const { stdout } = await run(['keys', 'create', '--help'], {})
    expect(stdout.match(/^ +--\w.*\(required\)$/gm)?.map((line) => line.trim().split(' ')[0])).toEqual([
      '--account',
      '--name',
    ])
  })

  test('whose words are not read to their end does not crash', async () => {
    const child = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    const exit = once(child, 'exit')
    child.stdout.destroy()
    expect(await text(child.stderr)).toBe('')
    expect(await exit).toEqual([0, null])
  })
})

describe('the command line without a server', { timeout: DEADLINE_MS }, () => {
  afterAll(cleanUp)

  test('accounts, keys and endpoints are managed on a directory that no server has used', async () => {
    const directory = await makeTempDir()
    const env = { DATA_DIR: join(directory, 'data') }
    const made = await sonantOn<Account>(env, 'accounts', 'create', '--name', 'early', '--credits', '7')
    expect(await sonantHere(env, 'accounts', 'show', '--account', 'early')).toEqual(made)
    const key = await sonantHere<Key>(env, 'keys', 'create', '--account', 'early', '--name', 'k')
    const file = join(directory, 'endpoints.json')
    await writeFile(file, JSON.stringify({ endpoints: [endpoint('early')] }))
    expect(await sonantHere(env, 'endpoints', 'apply', file)).toEqual({ applied: ['early'] })
    const service = await startService({ dataDir: env.DATA_DIR, awaitKey: false })
    const reply = await call(`${service.url}/api/v1/voice/early/voices`, { key: key.api_key })
    expect([reply.status, reply.json<{ slug: string }>().slug]).toEqual([200, 'early'])
    expect(await service.stop()).toBe(0)
    expect(await sonantHere(env, 'keys', 'delete', key.api_key_id)).toMatchObject({ deleted: true })
  })
})
