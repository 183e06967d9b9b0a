import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { readSettings } from '../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { cleanUp, makeDataDir, makeTempDir } from '../setup/processes/process.ts'
import { startTestRuntime } from '../setup/service/runtime.ts'

const IN_USE = 'The database is in use: restore into an empty one, or into a DATA_DIR that is not there yet.'
const log = openLog('silent')

/** A backup of another service, with a job and its audio. */
let backup: string
/** A backup of an installation with an account, which runs on its embedded database. */
let ownBackup: string
let dataDir: string
let running: Runtime
/** A copy of that directory from before: it does not run, and has no key that would tell it from the other service. */
let atRest: string

async function backUpOther(): Promise<string> {
  const service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'silent' } })
  await applyEndpoint(service.runtime, 'quick')
  const { key } = await service.createCaller()
  await allFinished(service.runtime, [await submitText(service.url, key, 'quick', 'Of the other service.')])
  const into = join(await makeTempDir(), 'backup')
  await sonantHere({ DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }, 'backup', into)
  await service.close()
  return into
}

const open = (dir: string) =>
  openRuntime(readSettings({ DATA_DIR: dir, LOG_LEVEL: 'silent' }), log, { supervise: false })

beforeAll(async () => {
  backup = await backUpOther()
  dataDir = await makeDataDir()
  const first = await open(dataDir)
  await createAccount(first.as({ kind: 'system' }), { name: 'its own', credits: 7n })
  await first.close()
  atRest = join(await makeTempDir(), 'data')
  await promisify(execFile)('cp', ['-a', dataDir, atRest])
  running = await open(dataDir)
  ownBackup = join(await makeTempDir(), 'backup')
  await sonantHere({ DATA_DIR: dataDir }, 'backup', ownBackup)
})
afterAll(async () => {
  await running.close()
  await cleanUp()
})

const CONTENT = `select (select json_agg(a order by id) from account a) as accounts, (select count(*)::int from job) as jobs,
  (select json_agg(i) from installation i) as installation, (select json_agg(w order by id) from webhook_secret w) as secrets`
const contentOf = async ({ db }: Runtime) => (await db.pool.query(CONTENT)).rows[0]
/** The files that a restore would put next to the database. */
const filesOf = async (dir: string) => {
  const key = join(dir, 'secret.key')
  const audio = join(dir, 'artifacts')
  return {
    key: existsSync(key) ? await readFile(key, 'utf8') : null,
    audio: existsSync(audio) ? await readdir(audio, { recursive: true }) : [],
  }
}
const anotherKey = (dir: string) =>
  `${join(dir, 'secret.key')} is another key than the one that the backup was made under, whose webhook secrets would not open: set SECRET_KEY to that one, which secret.key in the backup holds.`

describe('a restore into a DATA_DIR whose embedded database runs', () => {
  test.each([
    ['of the installation itself', () => ownBackup, () => IN_USE],
    ['of another one', () => backup, () => anotherKey(dataDir)],
  ])('is refused in one sentence and changes nothing: a backup %s', async (_whose, from, why) => {
    const before = [await contentOf(running), await filesOf(dataDir)]
    const { code, stdout, stderr } = await runHere(['restore', from()], { DATA_DIR: dataDir })
    expect([code, stdout, stderr]).toEqual([1, '', `${why()}\n`])
    expect([await contentOf(running), await filesOf(dataDir)]).toEqual(before)
    expect((await running.db.pool.query('select 1 as works')).rows).toEqual([{ works: 1 }])
  })
})

describe('a restore into the DATA_DIR of another installation that does not run', () => {
  test('is refused by the key that is there', async () => {
    const before = await filesOf(atRest)
    const { code, stderr } = await runHere(['restore', backup], { DATA_DIR: atRest })
    expect([code, stderr]).toEqual([1, `${anotherKey(atRest)}\n`])
    expect(await filesOf(atRest)).toEqual(before)
  })

  test('is refused by what its database holds where no key is there, and changes nothing', async () => {
    await rm(join(atRest, 'secret.key'))
    const before = await filesOf(atRest)
    const { code, stdout, stderr } = await runHere(['restore', backup], { DATA_DIR: atRest })
    expect([code, stdout, stderr]).toEqual([1, '', `${IN_USE}\n`])
    expect(await filesOf(atRest)).toEqual(before)
    const runtime = await open(atRest)
    const content = await contentOf(runtime)
    await runtime.close()
    expect(content).toMatchObject({ accounts: [{ name: 'its own', credits: 7 }], jobs: 0 })
  })
})
