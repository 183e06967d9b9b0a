import { describe, expect, test } from 'vitest'
import { parseEndpointFile } from '../../../src/catalog/files/endpoint-file.ts'
import { ServiceError } from '../../../src/errors/service-error.ts'
import { endpoint } from '../../setup/jobs/fixtures.ts'

const INPUTS = endpoint('x').inputs
const VOICE = endpoint('x').voices[0]

/** One field a line, so that a violation has a line of its own. */
const fileOf = (changes: object = {}): string =>
  `endpoints:\n  - ${Object.entries(endpoint('studio', changes))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n    ')}\n`

const withText = (text: object) => ({ inputs: { ...INPUTS, properties: { ...INPUTS.properties, text } } })
const withSchema = (schema: object) => ({ inputs: { ...INPUTS, ...schema } })
const withVoice = (changes: object) => ({ voices: [{ ...VOICE, ...changes }] })

function errorOf(source: string) {
  try {
    parseEndpointFile(source)
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, details: error.details ?? [] }
    throw error
  }
  throw new Error('the file was accepted')
}

const lineOf = (source: string, field: string) =>
  `line ${source.split('\n').findIndex((line) => line.trimStart().replace('- ', '').startsWith(`${field}:`)) + 1}`

describe('an endpoint file', () => {
  test('in good order is accepted', () => {
    expect(parseEndpointFile(fileOf()).endpoints.map(({ slug }) => slug)).toEqual(['studio'])
  })

  test.for<[string, string, object, RegExp]>([
    ['an asynchronous schema', 'inputs', withSchema({ $async: true }), /\$async/],
    ['an asynchronous schema of a property', 'inputs', withText({ type: 'string', $async: true }), /\$async/],
    ['an asynchronous schema deep inside', 'inputs', withSchema({ allOf: [{ if: { $async: true } }] }), /\$async/],
    ['a text that is a number', 'inputs', withText({ type: 'number' }), /text must have type: string/],
    ['a text of two types', 'inputs', withText({ type: ['string', 'null'] }), /text must have type: string/],
    ['a text of no type', 'inputs', withText({ minLength: 1 }), /text must have type: string/],
    ['a text without a schema', 'inputs', withSchema({ properties: { ...INPUTS.properties, text: true } }), /string/],
    [
      'a voice input that is a number',
      'inputs',
      withSchema({ properties: { ...INPUTS.properties, voice: { type: 'integer' } } }),
      /voice must have type: string/,
    ],
    [
      'captions whose default is no format',
      'inputs',
      { captions: { formats: ['vtt'], captions_input: 'text' }, ...withText({ type: 'string', default: 'docx' }) },
      /text\.default must be among vtt$/,
    ],
    [
      'audio whose default is no format',
      'inputs',
      { audio: { formats: ['mp3', 'wav'], format_input: 'text' }, ...withText({ type: 'string', default: 'ogg' }) },
      /text\.default must be among mp3, wav$/,
    ],
    ['a name that turns the text around it', 'name', { name: 'a\u202eb' }, /\.name must not hold .*invisible/],
    ['a description with ESC', 'description', { description: '\u001b[2J' }, /\.description must not hold control/],
    ['a name that is a number', 'name', { name: 5 }, /\.name must be a string$/],
    ['a published that is a text', 'published', { published: 'yes' }, /\.published must be true or false$/],
    [
      'a time limit of zero',
      'time_limit_seconds',
      { time_limit_seconds: 0 },
      /\.time_limit_seconds must be at least 1$/,
    ],
    [
      'an engine of another kind',
      'engine',
      { engine: { kind: 'x' } },
      /\.kind must be one of espeak, openai-speech, sherpa-onnx$/,
    ],
    ['voices that are no list', 'voices', { voices: 5 }, /\.voices must be a list$/],
    ['a voice without a name', 'voices', withVoice({ name: undefined }), /\.name is required$/],
    ['an unknown field', 'color', { color: 1 }, /\.color is an unknown field$/],
    ['a NUL in a name', 'name', { name: 'a\0b' }, /name holds NUL/],
    [
      'a lone surrogate in a voice',
      'voices',
      withVoice({ description: '\ud800' }),
      /description holds NUL or an unpaired/,
    ],
    ['a NUL in a key', 'inputs', withSchema({ 'a\0': 1 }), /key that holds NUL/],
    [
      'a speaker that is not there',
      'voices',
      withVoice({ engine_voice: 'en-us+nobody' }),
      /engine_voice is not a voice/,
    ],
    ['a language that is not there', 'voices', withVoice({ engine_voice: 'xx+f3' }), /engine_voice is not a voice/],
    ['a path as a voice', 'voices', withVoice({ engine_voice: '../../etc/passwd' }), /engine_voice is not a voice/],
    ['a recording', 'voices', withVoice({ kind: 'reference', reference_audio: 'a.wav' }), /kind must be preset/],
    ...['kokoro', 'speaches', 'nari'].map((profile): [string, string, object, RegExp] => [
      `a recording for ${profile}`,
      'voices',
      {
        ...withVoice({ kind: 'reference', reference_audio: 'a.wav' }),
        engine: { kind: 'openai-speech', base_url: 'http://127.0.0.1:1', model: 'm', profile },
      },
      new RegExp(`kind must be preset: a ${profile} server`),
    ]),
    [
      'a pace that its servers do not speak',
      'inputs',
      {
        ...withSchema({ properties: { ...INPUTS.properties, speed: { type: 'number', minimum: 0.25, maximum: 4 } } }),
        engine: { kind: 'openai-speech', base_url: 'http://127.0.0.1:1', model: 'm', profile: 'speaches' },
      },
      /inputs.properties.speed must lie within 0.5 to 2/,
    ],
    ...(
      [
        ['neither a server nor servers', {}, /base_url is needed, or servers/],
        [
          'both',
          { base_url: 'http://a', servers: [{ base_url: 'http://b' }] },
          /base_url must not stand beside servers/,
        ],
        [
          'one limit for several servers',
          { max_in_flight: 3, servers: [{ base_url: 'http://b' }] },
          /max_in_flight must not stand beside servers/,
        ],
        [
          'a server twice',
          { servers: [{ base_url: 'http://b/v1' }, { base_url: 'http://B/' }] },
          /list each server once/,
        ],
        [
          'the server of its worker among several',
          { servers: [{ base_url: 'worker' }] },
          /must be an http or https URL/,
        ],
      ] as const
    ).map(([what, given, reason]): [string, string, object, RegExp] => [
      what,
      'engine',
      { engine: { kind: 'openai-speech', model: 'm', ...given } },
      reason,
    ]),
    ['an unknown key of the engine', 'engine', { engine: { kind: 'espeak', voicee: 1 } }, /voicee is an unknown field/],
  ])('with %s is refused with line and reason', ([, field, changes, reason]) => {
    const source = fileOf(changes)
    const { code, details } = errorOf(source)
    expect(code).toBe('INVALID_REQUEST')
    expect(details.map(({ message }) => message).join('\n')).toMatch(reason)
    expect(details[0]?.path).toBe(lineOf(source, field))
  })

  test('with a number out of range is refused with its line', () => {
    const source = fileOf().replace('"minLength":1', '"minLength": .inf')
    expect(errorOf(source).details).toEqual([
      { path: lineOf(source, 'inputs'), message: expect.stringContaining('minLength is a number out of range') },
    ])
  })

  test('may call an input $async', () => {
    const properties = { ...INPUTS.properties, $async: { type: 'boolean' } }
    expect(parseEndpointFile(fileOf(withSchema({ properties }))).endpoints).toHaveLength(1)
  })

  test('whose aliases grow without end is refused at once, with the line of the first', () => {
    const levels = Array.from({ length: 12 }, (_, n) =>
      n === 0
        ? 'a0: &a0 [x, x]'
        : `a${n}: &a${n} [${Array(10)
            .fill(`*a${n - 1}`)
            .join(', ')}]`,
    )
    const started = process.threadCpuUsage().user
    expect(errorOf(`${levels.join('\n')}\n`).details).toEqual([
      { path: 'line 2', message: 'aliases repeat too much of the file' },
    ])
    expect((process.threadCpuUsage().user - started) / 1000).toBeLessThan(5_000)
  })

  test.for<[string, string]>([
    ['that contains itself', 'endpoints: &a [*a]\n'],
    ['of 100,000 brackets', '['.repeat(100_000)],
    ['nested in itself by aliases', `endpoints: &a {b: {c: *a}}\n`],
    ['nested 70 deep', `endpoints: ${'['.repeat(70)}${']'.repeat(70)}\n`],
  ])('%s is refused with a line', ([, source]) => {
    const { code, details } = errorOf(source)
    expect([code, details[0]?.path]).toEqual(['INVALID_REQUEST', expect.stringMatching(/^line \d+$/)])
  })
})
