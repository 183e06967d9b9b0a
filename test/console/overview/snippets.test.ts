import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { snippets } from '../../../src/console/overview/snippets.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const MP3_SYNC = 0xff

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
})
afterAll(() => service?.close())

test('each program of the first steps speaks as it stands, with the key in it', async () => {
  const { key } = await service.createCaller()
  const all = snippets({ service: service.url, apiKey: key, slug: 'tts', voice: 'aria' })
  expect(all.map(({ name }) => name)).toEqual(['curl', 'Python', 'TypeScript', 'OpenAI SDK'])
  const spoken = await Promise.all(all.map(({ name, run, text }) => firstBytes(name, run, text)))
  expect(spoken).toEqual(all.map(({ name }) => [name, expect.stringMatching(/^(ID3|\xff)/)]))
})

/** Runs a program as the page says, in a folder of its own. */
async function firstBytes(name: string, run: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-snippet-'))
  try {
    await symlink(MODULES, join(folder, 'node_modules'))
    const [, file, command] = /Keep it as (\S+) and run: (.*)$/.exec(run) ?? [null, 'hello.sh', 'sh hello.sh']
    await writeFile(join(folder, file!), text)
    const PATH = `${join(MODULES, '.bin')}:${process.env.PATH}`
    await promisify(execFile)('sh', ['-c', command!], { cwd: folder, env: { ...process.env, PATH } })
    const audio = await readFile(join(folder, 'hello.mp3'))
    expect(audio.length).toBeGreaterThan(1000)
    return [name, audio[0] === MP3_SYNC ? '\xff' : audio.toString('latin1', 0, 3)]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
