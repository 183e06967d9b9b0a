import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { readSettings } from '../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { endCommands, startCommand } from '../setup/processes/command.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { cleanUp, makeDataDir, makeTempDir } from '../setup/processes/process.ts'
import { type Listening, listening } from '../setup/servers/listening.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const KILLED = 137
const AUDIO = Buffer.alloc(30_000, 'sound')

/** The environment of a service that does not run: the backup starts its database, and the kill leaves nobody to end that. */
let env: { readonly DATA_DIR: string } & Record<string, string>
let key: string
/** Holds one file, and nothing else. */
let bucket: Listening
/** It gives half of the file, and the rest never: what copies it cannot end before it is killed. */
let isHeld = false
beforeAll(async () => {
  const server = createServer(({ url = '' }, reply) => {
    if (!url.endsWith(key)) return void reply.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    reply.writeHead(200, { 'content-length': AUDIO.length })
    if (isHeld) reply.write(AUDIO.subarray(0, AUDIO.length / 2))
    else reply.end(AUDIO)
  })
  bucket = await listening(server, 0)
  const STORAGE_URL = `s3://artifacts?endpoint=${bucket.url}&region=us-east-1`
  env = { DATA_DIR: await makeDataDir(), STORAGE_URL, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const runtime = await openRuntime(readSettings({ DATA_DIR: env.DATA_DIR }), openLog('silent'), { supervise: false })
  key = await insertAudio(runtime)
  await runtime.close()
})
afterAll(async () => {
  endCommands()
  await bucket.close()
  await cleanUp()
})

async function insertAudio(runtime: Runtime): Promise<string> {
  const { id } = await createAccount(runtime.as({ kind: 'system' }), { name: 'its own', credits: 7n })
  const job = await insertJob(runtime.db, id)
  const storageKey = `${job}/1/audio.wav`
  await runtime.db.pool.query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256) values ($1, $2, 'audio', $3, 'audio/wav', $4, $5)`,
    [`art${job.slice(3)}`, job, storageKey, AUDIO.length, createHash('sha256').update(AUDIO).digest()],
  )
  return storageKey
}

async function killBackup(into: string, when: () => boolean): Promise<void> {
  isHeld = true
  const backup = startCommand([process.execPath, 'bin/sonant.js', 'backup', into], env)
  await until(when, TIMEOUT_MS, 'a backup that is under way')
  expect(getPriority(backup.pid)).toBe(getPriority() + 10)
  backup.kill('SIGKILL')
  expect([await backup.ended(), backup.stdout(), backup.stderr()]).toEqual([KILLED, '', ''])
  isHeld = false
}

describe('a backup whose process is killed', () => {
  test.each([
    ['tables', (into: string) => existsSync(join(into, 'tables'))],
    ['artifacts', (into: string) => (statSync(join(into, 'artifacts', key), { throwIfNoEntry: false })?.size ?? 0) > 0],
  ])(
    'while it writes %s is refused by a restore and by the next one, which is whole elsewhere',
    async (what, isWriting) => {
      const home = await makeTempDir()
      const [into, place] = [join(home, 'backup'), join(home, 'data')]
      await killBackup(into, () => isWriting(into))
      const left = await readdir(into, { recursive: true })
      expect(left).toContain(what)

      const restored = await runHere(['restore', into], { ...env, DATA_DIR: place })
      const why = `${into} is not a complete backup: backup.json, which is written last, is missing. Use a backup that finished.\n`
      expect(restored).toEqual({ code: 1, stdout: '', stderr: why })
      expect(existsSync(place)).toBe(false)

      const again = await runHere(['backup', into], env)
      expect(again).toEqual({
        code: 1,
        stdout: '',
        stderr: `${into} is not empty: name a directory that is not there yet.\n`,
      })
      expect(await readdir(into, { recursive: true })).toEqual(left)

      const next = join(home, 'next')
      const whole = await sonantHere(env, 'backup', next)
      expect(whole).toMatchObject({ jobs: 1, audio_files: 1, audio_bytes: AUDIO.length })
    },
  )
})
