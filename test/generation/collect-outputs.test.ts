import { expect, test } from 'vitest'
import { collectOutputs } from '../../src/generation/collect-outputs.ts'

const SOURCE = { baseUrl: 'http://gpu:5000' } as Parameters<typeof collectOutputs>[1]
const MB = 1_000_000
const filesOf = async (output: unknown): Promise<Buffer[]> => {
  const files: Buffer[] = []
  for await (const { content } of collectOutputs(output, SOURCE)) files.push(content as Buffer)
  return files
}
/** Names and contents. */
const outputsOf = async (output: unknown, baseUrl = SOURCE.baseUrl): Promise<Record<string, string>> => {
  const named: [string, string][] = []
  for await (const { output: name, content } of collectOutputs(output, { ...SOURCE, baseUrl }))
    named.push([name, (content as Buffer).toString()])
  return Object.fromEntries(named)
}
const FILE = 'data:text/plain,file'

test.each([1, 20 * MB, 20 * MB + 1, 20 * MB + 2])('a data URL of %d bytes is the file that it holds', async (size) => {
  const content = Buffer.alloc(size, 'sonant')
  const [file, bare] = await filesOf([
    `data:image/png;base64,${content.toString('base64')}`,
    `data:image/png;base64,${content.toString('base64').replaceAll('=', '')}`,
  ])
  expect([file?.equals(content), bare?.equals(content)]).toEqual([true, true])
})

test.each(['!!!', 'a', 'abcde', 'ab=', 'abc==', 'abcd=', 'ab=c', '====', 'a b='])(
  'a data URL of %j is broken',
  async (text) => {
    await expect(filesOf(`data:image/png;base64,${text}`)).rejects.toThrow(/broken data URL|is empty/)
  },
)

test.each([
  ['line breaks', (text: string) => text.replace(/(.{76})/g, '$1\r\n')],
  ['the letters for URLs', (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')],
  ['no padding', (text: string) => text.replaceAll('=', '')],
  ['its signs escaped', encodeURIComponent],
])('base64 with %s is read', async (_what, write) => {
  const content = Buffer.from(Array.from({ length: 1000 }, (_, at) => (at * 89) % 256))
  const [file] = await filesOf(`data:image/png;base64,${write(content.toString('base64'))}`)
  expect(file?.equals(content)).toBe(true)
})

test.each<[string, unknown, Record<string, string>]>([
  ['values beside a file', { file: FILE, text: 'hello', n: 1 }, { file: 'file', text: 'hello', n: '1' }],
  ['keys in their case', { File: FILE, file: 'a', FILE: 'b' }, { File: 'file', file: 'a', FILE: 'b' }],
  ['nested files', { a: { file: FILE, n: [1, 2] }, none: null }, { 'a.file': 'file', 'a.n': '[1,2]' }],
  ['files in lists', { images: [FILE, FILE] }, { 'images.0': 'file', 'images.1': 'file' }],
  [
    'lists of objects',
    [{ image: FILE }, { image: FILE, n: 2 }],
    { 'output.image': 'file', 'output_1.image': 'file', 'output_1.n': '2' },
  ],
  ['names that would be alike', { 'a.b': 'x', a: { b: FILE } }, { 'a.b': 'x', 'a.b_1': 'file' }],
  ['an object without a file, in one piece', { text: 'a', n: { m: 1 } }, { output: '{"text":"a","n":{"m":1}}' }],
])('an output has %s', async (_what, output, expected) => {
  expect(await outputsOf(output)).toEqual(expected)
})

test('file names are lower-case, and no two are alike', async () => {
  const names: (string | undefined)[] = []
  for await (const { fileName } of collectOutputs({ File: FILE, file: FILE, Größe: FILE, _x: FILE }, SOURCE))
    names.push(fileName)
  expect(names).toEqual(['file', 'file_1', 'gr__e', 'output_x'])
})

const INTERNAL = [
  'http://gpu:5000/files/a.png',
  'http://gpu/files/a.png',
  'HTTP://GPU:8000/a',
  'https://gpu.svc.cluster.local/a',
  '//gpu/files/a.png',
  's3://models/a.png',
  'file:///src/a.png',
  'http://10.0.0.5/a.png',
  'http://[fd00::1]:5000/a.png',
  'http://2130706433/a',
  'http://user:secret@example.com/a',
  'https://cdn.example.com/?src=http%3A%2F%2Fgpu%2Fa.png',
  'http:\\/\\/gpu\\/a.png',
  'gpu:5000/files/a.png',
  '192.168.1.4:5000/a.png',
]

test.each(INTERNAL)('the address %s is in no output, whatever its shape', async (address) => {
  const shapes = [
    `It lies at ${address}, as said.`,
    { note: `see ${address}` },
    { nested: { list: [{ at: `<${address}>` }] } },
    { [`see ${address}`]: 1 },
    { [`see ${address}`]: FILE },
    JSON.stringify({ at: address }),
    JSON.stringify({ at: address }).replaceAll('/', '\\u002f'),
    { file: FILE, note: `<img src="${address}">` },
    `data:application/json,${encodeURIComponent(JSON.stringify({ at: address }))}`,
    `data:text/plain;base64,${Buffer.from(`at ${address}`).toString('base64')}`,
    [`at `, `at ${address} `, 1],
  ]
  for (const shape of shapes) {
    const shown = JSON.stringify(await outputsOf(shape)).replaceAll('\\', '')
    expect(shown).not.toMatch(/gpu|10\.0\.0\.5|fd00|2130706433|secret|192\.168|models\/a|src\/a\.png/i)
  }
})

test.each([
  'See https://example.com/a?b=1#c and http://93.184.216.34/x.',
  'Version 1.2.3.4, either/or, 10:30, a // b, key: value, gpu time.',
  '{"a": [1, 2.50], "b": "https://example.org"}',
])('the text %j stays as it is', async (text) => {
  expect(await outputsOf(text, 'http://gpu:5000')).toEqual({ output: text })
})

test('values that are nested too deeply fail the prediction', async () => {
  const deep = JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`)
  await expect(filesOf({ deep, file: FILE })).rejects.toThrow('nested too deeply')
})
