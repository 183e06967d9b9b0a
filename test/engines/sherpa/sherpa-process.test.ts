import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { childrenOf, runs } from '../../setup/processes/process-tree.ts'
import { tinyTokens, tinyVits, writeModel } from '../../setup/speech/tiny-models.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 30_000
const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/engines/sherpa/sherpa-process.ts')).href

/** Has a process load a model, and speak without an end or wait for its next text. */
const program = (directory: string, isSpeaking: boolean): string => `
  import { SherpaProcess } from ${JSON.stringify(MODULE)}
  const model = { vits: { model: ${JSON.stringify(join(directory, 'model.onnx'))}, tokens: ${JSON.stringify(join(directory, 'tokens.txt'))} } }
  const child = new SherpaProcess()
  const { loaded } = await child.ask({ load: { model: { ...model, numThreads: 1, provider: 'cpu' }, maxNumSentences: 1 } })
  if (${isSpeaking}) void child.ask({ speak: { text: 'a'.repeat(100_000), options: { sid: 0, speed: 1 }, pace: 1 } })
  console.log(loaded.speakers)
  setInterval(() => undefined, 1000)`

test.skipIf(process.platform !== 'linux').each([
  ['while it speaks', true],
  ['while it waits', false],
])('a process that speaks ends with the one that asked for it, whatever ends that (%s)', async (_when, isSpeaking) => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-sherpa-'))
  try {
    await writeModel(directory, { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })
    const args = ['--input-type=module', '-e', program(directory, isSpeaking)]
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    expect(String((await once(parent.stdout, 'data'))[0])).toBe('3\n')
    const children = childrenOf(parent.pid!)
    expect(children.filter(runs)).toHaveLength(1)
    parent.kill('SIGKILL')
    await until(() => children.filter(runs).length === 0, TIMEOUT_MS, 'the process to end')
  } finally {
    await rm(directory, { recursive: true })
  }
})
