import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { cleanUp, makeTempDir, run, runForBytes } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const DEADLINE_MS = 90_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
})
afterAll(async () => {
  endCommands()
  await service.close()
  await cleanUp()
})

describe('sonant say', { timeout: DEADLINE_MS }, () => {
  test('tells a failed job by its own code and cause, and leaves no file, of captions neither', async () => {
    const account = await service.createAccount(1n)
    const dir = await makeTempDir()
    const files = ['-o', join(dir, 'unpaid.wav'), '--captions', join(dir, 'unpaid.vtt')]
    const args = ['say', 'Hello!', '--account', account, ...files, '--json']
    const { code, stdout } = await run(args, { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('balance'), error_code: 'CHARGE_FAILED' })
    expect(await readdir(dir)).toEqual([])
  })

  test('writes exactly the bytes of the audio in its format to standard output with -o -, its captions into their file, and its words to standard error', async () => {
    const account = await service.createAccount()
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const captions = join(await makeTempDir(), 'hello.SRT')
    const asked = ['--format', 'flac', '--captions', captions, '-o', '-']
    const { code, stdout, stderr } = await runForBytes(['say', 'Hello!', '--account', account, ...asked], env)
    const [line, jobId] = /^- {2}\S+hello\.SRT {2}\d\.\d s {2}(job_\w+)\n$/.exec(stderr) ?? []
    expect([code, line]).toEqual([0, stderr])
    expect(stdout).toEqual(await buffer(await service.runtime.storage.read(`${jobId}/1/audio.flac`)))
    expect(stdout.subarray(0, 4).toString()).toBe('fLaC')
    expect(await readFile(captions, 'utf8')).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0[01],\d{3}\nHello!\n$/)
    const failed = await runForBytes(['say', 'Hello!', '--account', 'nobody', '-o', '-', '--json'], env)
    expect([failed.code, failed.stdout.length]).toEqual([1, 0])
    expect(JSON.parse(failed.stderr)).toMatchObject({ error_code: 'NOT_FOUND' })
  })

  test('writes the format that the file ends with', async () => {
    const account = await service.createAccount()
    const file = join(await makeTempDir(), 'hello.MP3')
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    expect((await run(['say', 'Hello!', '--account', account, '-o', file], env)).code).toBe(0)
    // A frame of layer III, of MPEG-1 or MPEG-2, begins so, unless a tag stands before it.
    expect((await readFile(file)).subarray(0, 2).toString('hex')).toMatch(/^(fff[23ab]|4944)/)
  })

  test('names the endings that an endpoint has formats for, and its voices, and charges nothing', async () => {
    const account = await service.createAccount()
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const unknown = await run(['say', 'Hello!', '--account', account, '-o', join(await makeTempDir(), 'a.xyz')], env)
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/^Give -o a file that ends with .*\.wav/)])
    const nobody = await run(['say', 'Hello!', '--account', account, '--voice', 'nobody'], env)
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(/^Give --voice one of the voices of "tts": aria, .*\.\n$/),
    ])
    const misspelt = await run(['sya', 'Hello!'], env)
    expect(misspelt.stderr.trim().split('\n').length).toBeLessThan(5)
    await applyEndpoint(service.runtime, 'small', {}, { audio: { formats: ['mp3', 'opus'] } })
    const asked = [
      'say',
      'Hello!',
      '--account',
      account,
      '--endpoint',
      'small',
      '-o',
      join(await makeTempDir(), 'a.wav'),
    ]
    const { code, stderr } = await run(asked, env)
    expect([code, stderr]).toEqual([
      1,
      'Give -o a file that ends with one of .mp3, .opus, the formats of "small", or --format.\n',
    ])
    const { rows } = await service.runtime.db.pool.query('select from job where account_id = $1', [account])
    expect(rows).toEqual([])
  })

  test('says once who could speak a text that no worker has a server for, and on Ctrl-C cancels the job and ends with 130', async () => {
    const { runtime, dataDir } = service
    const account = await service.createAccount(1000n)
    await applyEndpoint(runtime, 'own', { base_url: 'worker', pool: 'gpu' })
    const dir = await makeTempDir()
    const asked = ['say', 'Hello!', '--endpoint', 'own', '--account', account, '-o', join(dir, 'a.wav')]
    const saying = startCommand([process.execPath, 'bin/sonant.js', ...asked], {
      DATABASE_URL: runtime.db.url,
      DATA_DIR: dataDir,
    })
    await until(() => saying.stderr() !== '', DEADLINE_MS, 'a word')
    // It has looked a dozen times more by then.
    const beats = async () =>
      (
        await runtime.db.pool.query('select max(heartbeat_at)::text as last from worker where id <> $1', [
          runtime.workerId,
        ])
      ).rows[0].last
    const first = await beats()
    await until(async () => (await beats()) !== first, DEADLINE_MS, 'another heartbeat')
    saying.killGroup('SIGINT')
    expect([await saying.ended(), saying.stdout(), saying.stderr()]).toEqual([
      130,
      '',
      'The job waits, as no worker has a server for the pool gpu: start "npx sonant work --pools gpu --server FILE", or cancel the job with Ctrl-C.\nInterrupted: no file was written.\n',
    ])
    const { rows } = await runtime.db.pool.query(
      'select j.error_code, a.credits from job j join account a on a.id = j.account_id where a.id = $1',
      [account],
    )
    expect([rows, await readdir(dir)]).toEqual([[{ error_code: 'JOB_CANCELLED', credits: '1000' }], []])
  })
})
