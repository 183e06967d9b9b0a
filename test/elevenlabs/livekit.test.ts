import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const PROGRAM = fileURLToPath(new URL('livekit', import.meta.url))
const INSTALL_MS = 240_000
const SPEAK_MS = 120_000
/** Without the registry there is nothing to test. */
const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/
const run = promisify(execFile)

/** LiveKit's agents are 150 MB with their native parts, so they are no dependency of the project. */
async function install(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-livekit-'))
  await cp(PROGRAM, folder, { recursive: true })
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']
  try {
    await run('npm', ['ci', ...options], { cwd: folder, timeout: INSTALL_MS })
    return folder
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    const { killed, stderr = '' } = error as { readonly killed?: boolean; readonly stderr?: string }
    if (killed === true || NO_REGISTRY.test(stderr)) return null
    throw error
  }
}

const folder = await install()

describe.skipIf(folder === null)("LiveKit's agents", () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime({ worker: true })
  })
  afterAll(async () => {
    await service.close()
    await rm(folder ?? '', { recursive: true, force: true })
  })

  test('speak with both plugins, over a WebSocket as well, and list the voices', { timeout: SPEAK_MS }, async () => {
    const { key } = await service.createCaller()
    const { stdout } = await run(process.execPath, ['speak.mjs', service.url, key], { cwd: folder ?? '' })
    const heard = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(heard.voices).toContain('clara')
    for (const client of ['elevenlabs', 'streamed', 'openai', 'earlier']) {
      expect([client, heard[client]]).toEqual([client, expect.any(Number)])
      expect(heard[client]).toBeGreaterThan(0.8)
      expect(heard[client]).toBeLessThan(4)
    }
  })
})
