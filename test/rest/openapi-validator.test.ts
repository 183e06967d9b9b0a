import { describe, expect, test } from 'vitest'
import { readDocument } from '../../rest/document.ts'
import { type DocumentedOperation, openValidator, type RoutedRequest } from '../../rest/openapi-validator.ts'

const validator = await openValidator(await readDocument(null))
const secured = validator.operations.filter(({ security }) => security?.length)

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Readonly<Record<string, unknown>>
}

describe('openValidator', () => {
  test.each(named(secured.filter(({ requestBody }) => requestBody !== undefined)))(
    '%s rejects a body without its required keys, and one with an unknown key',
    (_id, operation) => {
      expect(violations(operation, { body: {} })).toContainEqual(expect.objectContaining({ message: 'is required' }))
      const unknown = { path: '/unheard_of', message: 'unknown key' }
      expect(violations(operation, { body: { unheard_of: 1 } })).toContainEqual(unknown)
    },
  )

  test.each(named(secured.filter((operation) => parameter(operation, 'Idempotency-Key') !== undefined)))(
    '%s rejects an Idempotency-Key that is too long',
    (_id, operation) => {
      const found = violations(operation, { headers: { 'idempotency-key': 'k'.repeat(1000) } })
      expect(found.map(({ path }) => path)).toContain('Idempotency-Key')
    },
  )

  test.each([
    ['jobPage', { limit: 'ten' }, 'limit'],
    ['jobPage', { offset: -1 }, 'offset'],
    ['jobPage', { status: ['lost'] }, 'status/0'],
    ['exportJobs', { from: '2026-01-01' }, 'to'],
    ['exportJobs', {}, 'from'],
  ])('%s rejects the query %j', (id, query, path) => {
    const operation = secured.find(({ operationId }) => operationId === id) as DocumentedOperation
    expect(violations(operation, { query }).map((violation) => violation.path)).toContain(path)
  })

  test('an operation that needs no key takes nothing that could be wrong', () => {
    for (const operation of validator.operations.filter(({ security }) => !security?.length)) {
      expect(operation.requestBody).toBeUndefined()
      for (const { name, in: place, schema } of parametersOf(operation)) {
        expect({ name, place, schema }).toEqual({ name, place: expect.stringMatching(/path|header/), schema: TEXT })
      }
    }
  })
})

const TEXT = { type: 'string' }

function named(operations: readonly DocumentedOperation[]): (readonly [string, DocumentedOperation])[] {
  return operations.map((operation) => [operation.operationId ?? '', operation] as const)
}

function parametersOf({ parameters }: DocumentedOperation): readonly Parameter[] {
  return (parameters ?? []) as readonly unknown[] as readonly Parameter[]
}

function parameter(operation: DocumentedOperation, name: string): Parameter | undefined {
  return parametersOf(operation).find((candidate) => candidate.name === name)
}

function violations(
  operation: DocumentedOperation,
  given: { body?: object; headers?: Record<string, string>; query?: object },
): readonly { path: string; message: string }[] {
  const { method, path } = operation
  const { body, headers = {}, query = {} } = given
  const request = { method, path, params: { slug: 'tts', job_id: 'job_1' }, cookies: {}, headers, query, body }
  try {
    validator.validate({ ...request, requestBody: body } as RoutedRequest, operation)
    return []
  } catch (error) {
    return (error as { details: { path: string; message: string }[] }).details
  }
}
