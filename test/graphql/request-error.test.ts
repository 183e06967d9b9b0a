import { globSync, readFileSync } from 'node:fs'
import { type GraphQLResolveInfo, isEnumType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { HTTP_STATUS, ServiceError } from '../../src/errors/service-error.ts'
import { ExpectedError } from '../../src/graphql/builder.ts'
import { shownDetails, shownMessage } from '../../src/graphql/http/errors.ts'
import { graphqlSchema } from '../../src/graphql/schema.ts'
import { errorOf } from '../../src/jobs/job-shape.ts'

const ROOT = new URL('../../', import.meta.url)
const DOCUMENTED = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:async function|function|const) (\w+)/g
const CODES = Object.keys(HTTP_STATUS) as (keyof typeof HTTP_STATUS)[]

const schema = graphqlSchema
const isExpected = (code: keyof typeof HTTP_STATUS) => new ServiceError(code, '') instanceof ExpectedError

/** The codes that each exported function says that it throws. */
const thrownBy = new Map(
  globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/console/**'] }).flatMap((file) =>
    [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(DOCUMENTED)].map(([, text = '', name = '']) => {
      const throws = text.slice(text.indexOf('@throws'))
      return [name, text.includes('@throws') ? CODES.filter((code) => throws.includes(code)) : []] as const
    }),
  ),
)
const verbs = Object.values(schema.getMutationType()!.getFields()).map(({ name, extensions }) => ({
  name,
  thrown: thrownBy.get((extensions.verb as { name: string }).name) ?? [],
}))

const codesOf = (type: string) => {
  const of = schema.getType(type)
  const { description } = isObjectType(of) ? of.getFields().code! : {}
  return CODES.filter((code) => description?.includes(code))
}

describe('the code of an error', () => {
  test.each(verbs)('$name says which codes it has', ({ thrown }) => {
    expect(thrown).not.toEqual([])
  })

  test('is, in the words of RequestError, one that the comment of a verb names and that is no error of the answer', () => {
    const thrown = new Set(verbs.flatMap((verb) => verb.thrown))
    expect(codesOf('RequestError')).toEqual(CODES.filter((code) => isExpected(code) && thrown.has(code)))
  })

  test('is, in the words of BulkError, one that the comment of a verb of a single id names, or of a failure of the service', () => {
    const thrown = new Set(['cancelJob', 'retryJob', 'redeliverWebhook'].flatMap((verb) => thrownBy.get(verb) ?? []))
    const failures = ['RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE']
    const expected = CODES.filter((code) => failures.includes(code) || (thrown.has(code) && code !== 'UNAUTHORIZED'))
    expect(codesOf('BulkError')).toEqual(expected)
  })
})

/** Arguments that are not deprecated. */
const ARGUMENTS = new Set(
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap(({ args }) =>
          args.flatMap(({ name, deprecationReason }) => (deprecationReason == null ? [name] : [])),
        )
      : [],
  ),
)

test('the path of a failed validation begins with the name of an argument', () => {
  const paths = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/console/**'] }).flatMap((file) =>
    [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/path: ['`](\/\w+)[^,]*,\s*message/g)].map(
      ([, path = '']) => path,
    ),
  )
  expect(paths.length).toBeGreaterThan(40)
  const shown = shownDetails(paths.map((path) => ({ path, message: '' }))).map(({ path }) => path)
  expect(shown.filter((path) => !ARGUMENTS.has(path.slice(1)))).toEqual([])
})

test('the error of a job says its id, and REST its job_id', () => {
  const failed = { status: 'failed', errorCode: 'INTERNAL_ERROR' } as const
  const failure = errorOf(failed)
  const errorIn = (name: string) => {
    const type = schema.getType(name)
    return isObjectType(type)
      ? type.getFields().error?.resolve?.({ ...failed, failure }, {}, {}, {} as GraphQLResolveInfo)
      : undefined
  }
  const shown = errorIn('VoiceJob')
  expect(shown).toMatch(/contact support with its id\.$/)
  expect(errorIn('CompanionChatAnswer')).toBe(shown)
  expect(failure?.message).toMatch(/contact support with its job_id\.$/)
  const codes = schema.getType('JobErrorCode')
  expect(isEnumType(codes) && codes.getValue('INTERNAL_ERROR')?.description).toBe(shown)
})

test('the words of headers are those of arguments', () => {
  expect(shownMessage('Send a new Idempotency-Key.')).toBe('Send a new idempotencyKey.')
  expect(shownMessage('Send a public https:// address as webhook_url: see `details`.')).toBe(
    'Send a public https:// address as webhookUrl: see `details`.',
  )
  expect(shownMessage('Contact support with the x-request-id of this response.')).toBe(
    'Contact support with the requestId of this error.',
  )
})

test('RequestError and BulkError are errors, with code, message and details', () => {
  for (const name of ['RequestError', 'BulkError']) {
    const type = schema.getType(name)
    expect(isObjectType(type) && type.getInterfaces().map(String)).toEqual(['Error'])
    expect(isObjectType(type) && Object.keys(type.getFields())).toEqual(
      expect.arrayContaining(['code', 'details', 'message']),
    )
  }
})
