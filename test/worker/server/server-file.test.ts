import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { launchOf, readServerFile } from '../../../src/worker/server/server-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'sonant-server-file-'))
const environment = { PATH: process.env.PATH }
afterAll(() => rmSync(directory, { recursive: true }))

const written = (content: string): string => {
  const path = join(directory, 'server.yaml')
  writeFileSync(path, content)
  return path
}
const read = (content: string) => readServerFile(written(content), environment)
const violationsOf = (content: string): string[] => {
  try {
    read(content)
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => line.slice(join(directory, 'server.yaml').length + 2))
  }
  return []
}

describe('a file that names a worker’s server', () => {
  test('is read with what it leaves out', () => {
    expect(read('command: [node, --port, 7]\n')).toEqual({
      command: ['node', '--port', '7'],
      env: {},
      gpus: null,
      readyPath: '/health',
      startSeconds: 600,
    })
  })

  test('has its port in the command and the environment, its cards by number, and the rest of the environment', () => {
    const spec = read(`
command: [node, --port, $PORT, 'http://127.0.0.1:\${PORT}/', $PORTAL, 'a $PORT b']
env: {URL: 'http://127.0.0.1:$PORT', LEVEL: 2, EAGER: true}
gpus: [1, 3]
ready_path: /v1/models
start_seconds: 30`)
    expect(launchOf(spec, 4711, { HOME: '/home/gpu', LEVEL: '1' })).toEqual({
      command: ['node', '--port', '4711', 'http://127.0.0.1:4711/', '$PORTAL', 'a 4711 b'],
      env: {
        HOME: '/home/gpu',
        URL: 'http://127.0.0.1:4711',
        LEVEL: '2',
        EAGER: 'true',
        CUDA_VISIBLE_DEVICES: '1,3',
        PORT: '4711',
      },
    })
  })

  test.each([
    ['command: vllm serve', ['line 1: command must be a list of the program and its arguments, such as [vllm, serve]']],
    ['gpus: [0]', ['line 1: command is required']],
    ['command: []', ['line 1: command must name a program']],
    ["command: ['']", ['line 1: command must begin with the name of a program']],
    ['command: [node, [a]]', ['line 1: command.1 must be a string or a number']],
    ['command: [node, "a\\0b"]', ['line 1: command.1 must not hold a NUL character']],
    ['command: [no-such-program]', ['line 1: command.0 names no program in PATH: no-such-program']],
    ['command: [/no/such/program]', ['line 1: command.0 names no executable file: /no/such/program']],
    ['command: [/tmp]', ['line 1: command.0 names no executable file: /tmp']],
    ['command: [node]\nenv: [A]', ['line 2: env must be a mapping of names to values']],
    ['command: [node]\nenv: {A: [1]}', ['line 2: env.A must be a string, a number, true or false']],
    ['command: [node]\nenv: {A: null}', ['line 2: env.A must be a string, a number, true or false']],
    ['command: [node]\nenv: {A=B: x}', ['line 2: env.A=B is not the name of an environment variable']],
    [
      'command: [node]\nenv: {PORT: 1}',
      ['line 2: env.PORT is set by the worker: write $PORT where the server takes its port'],
    ],
    [
      'command: [node]\ngpus: [0]\nenv: {CUDA_VISIBLE_DEVICES: 1}',
      ['line 3: env.CUDA_VISIBLE_DEVICES is set by gpus: leave out one of the two'],
    ],
    ['command: [node]\ngpus: 0', ['line 2: gpus must be a list of the numbers of cards, such as [0]']],
    ['command: [node]\ngpus: []', ['line 2: gpus must list at least one card; leave it out for all of them']],
    ['command: [node]\ngpus: [0, -1]', ['line 2: gpus.1 must be the number of a card, such as 0']],
    ['command: [node]\ngpus: [0.5]', ['line 2: gpus.0 must be the number of a card, such as 0']],
    ['command: [node]\ngpus: [GPU-1]', ['line 2: gpus.0 must be the number of a card, such as 0']],
    ['command: [node]\ngpus: [1, 1]', ['line 2: gpus must list each card once']],
    ['command: [node]\nready_path: health', ['line 2: ready_path must be a path such as /health']],
    ['command: [node]\nready_path: //evil.example/', ['line 2: ready_path must be a path such as /health']],
    ['command: [node]\nready_path: [a]', ['line 2: ready_path must be a string']],
    ['command: [node]\nstart_seconds: 0', ['line 2: start_seconds must be a number of seconds from 1 to 86400']],
    ['command: [node]\nstart_seconds: 1m', ['line 2: start_seconds must be a number of seconds from 1 to 86400']],
    ['command: [node]\nport: 80', ['line 2: port is an unknown field']],
    ['- command', ['line 1: the file must be a mapping with at least a command']],
    ['', ['line 1: the file must be a mapping with at least a command']],
    ['command: [node', [expect.stringMatching(/^line 1: /)]],
    ['command: [node]\ncommand: [node]', [expect.stringMatching(/^line 2: .*unique/)]],
  ])('%j is refused', (content, expected) => {
    expect(violationsOf(content)).toEqual(expected)
  })

  test('is refused with all of its violations at once', () => {
    const content =
      'command: [no-such-program]\ngpus: []\nready_path: x\nenv: {1A: b, PORT: c}\nstart_seconds: -1\nmore: 1\n'
    expect(violationsOf(content).map((line) => line.split(' ')[2])).toEqual(
      expect.arrayContaining(['command.0', 'gpus', 'ready_path', 'env.1A', 'env.PORT', 'start_seconds', 'more']),
    )
  })

  test('that is not there is said to be so', () => {
    expect(() => readServerFile(join(directory, 'none.yaml'), environment)).toThrow(
      /none\.yaml: cannot be read \(ENOENT\)/,
    )
  })
})
