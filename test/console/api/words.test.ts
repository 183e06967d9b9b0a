import { globSync, readFileSync } from 'node:fs'
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { labelOf, remarkOf, sentenceOf } from '../../../src/console/api/words.ts'
import { HTTP_STATUS } from '../../../src/errors/service-error.ts'

/** No browser asks these: the command line, a start of the service, other APIs. */
const NOT_SHOWN = /^src\/(?:backup|cli|console|context|db|doctor|generated|openai|server\/metrics|storage|telemetry)\//
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm
/** A part of a template, however deep. */
const PART = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g
/** A sentence, or one that a field's name begins. */
const WORDS = /^[A-Za-z][\w,:;.'"\-()/@ `]* [\w ,:;.'"\-()/@`]+$/
/** Keywords of the schema that an operator writes into the file of an endpoint. */
const WRITTEN = ['additionalProperties', 'maxLength', 'minLength']

/** Every text of the service that may be a message, with 7 for what is put into it. */
function messages(): readonly string[] {
  const files = [...globSync('src/**/*.ts'), ...globSync('rest/*.ts')].filter((file) => !NOT_SHOWN.test(file))
  const texts = files.flatMap((file) => [...readFileSync(file, 'utf8').replace(COMMENT, '').matchAll(LITERAL)])
  const found = texts.map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replace(PART, '7').replaceAll('\\`', '`'),
  )
  return [...new Set(found)].filter((text) => WORDS.test(text))
}

/** The names that only programs know: of GraphQL, and of bodies and operations of REST. */
function apiNames(): RegExp {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
  const graphql = Object.values(schema.getTypeMap()).flatMap((type) =>
    (isObjectType(type) || isInputObjectType(type) || isInterfaceType(type)) && !isEnumType(type)
      ? Object.keys(type.getFields())
      : [],
  )
  const operations = JSON.stringify(parse(readFileSync('rest/openapi.yaml', 'utf8')))
  const rest = [...operations.matchAll(/"operationId":"(\w+)"/g)].map(([, name]) => name ?? '')
  const names = [...graphql, ...rest].filter((name) => /[a-z][A-Z]/.test(name) && !WRITTEN.includes(name))
  return new RegExp(
    `\\b(?:${[...new Set(names)].join('|')})\\b|(?:^|[\\s(])/\\w|/api/|\`|\\bGET\\b|\\bPOST\\b|job_id|webhook_url|\\bschema\\b`,
  )
}

test('no sentence that the console shows names a field, a path or an operation of the API', () => {
  const forbidden = apiNames()
  const all = messages()
  const codes = [...Object.keys(HTTP_STATUS), 'RENDER_FAILED', 'CHARGE_FAILED']
  const shown = all.flatMap((text) => [
    ...codes.map((code) => sentenceOf(code, text)),
    sentenceOf('INVALID_REQUEST', text, [{ path: '/inputs/text', message: text }]),
    remarkOf(text),
  ])
  expect(all).toEqual(
    expect.arrayContaining([
      'Send inputs that fit the workflow: see `details`.',
      'Give your password again, with reauthenticate.',
    ]),
  )
  expect(all.length).toBeGreaterThan(500)
  expect([...new Set(shown)].filter((text) => forbidden.test(text))).toEqual([])
})

test('a path is said as what its field is called', () => {
  expect(
    ['/inputs/text', '/newPassword', '/entries/2/grapheme', 'engine.base_url', '', '/filter/createdAt'].map(labelOf),
  ).toEqual(['Text', 'New password', 'Entries › 3 › Word', 'Engine › Base url', 'The request', 'Time'])
})

test('large numbers are grouped where they are amounts, and stand as they are in names, addresses and times', () => {
  expect(remarkOf('must have at most 10000 characters')).toBe('must have at most 10,000 characters')
  for (const text of ['is not 2026-01-31', 'answers on :8093', 'No voice "voice_12345".', 'version 10000.5'])
    expect(remarkOf(text)).toBe(text)
})

test('what is left out for people is said by what it is about', () => {
  expect([
    sentenceOf('INVALID_REQUEST', 'Send inputs that fit the schema.', [{ path: '/inputs/text', message: 'is long' }]),
    sentenceOf('FORBIDDEN', 'Use an API key that holds the scope generate:voice.'),
    sentenceOf('RATE_LIMITED', 'Wait before the next request.'),
  ]).toEqual([
    'Correct what does not fit:',
    'You may not do that: an owner of the account or its operator may.',
    'Wait before the next request.',
  ])
})
