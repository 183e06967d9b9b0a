import { describe, expect, test } from 'vitest'
import { compileInputs } from '../../src/catalog/validate-inputs.ts'

const SCHEMA = { type: 'object', properties: { text: { type: 'string' } } }

describe('a schema that a row holds all the same', () => {
  test.each<[string, object]>([
    ['asynchronous', { ...SCHEMA, $async: true }],
    ['asynchronous inside', { ...SCHEMA, properties: { text: { $async: true, type: 'string' } } }],
    ['no schema', { type: 'strin' }],
  ])('%s: it stops nothing at load, and lets nothing pass', (_title, schema) => {
    const validate = compileInputs(schema as Record<string, unknown>)
    expect(() => validate({ text: 5 })).toThrow(expect.objectContaining({ code: 'INTERNAL_ERROR' }))
  })

  test('one in good order does its work', () => {
    expect(compileInputs(SCHEMA)({ text: 5 })).toEqual([{ path: '/inputs/text', message: 'must be string' }])
    expect(compileInputs({ ...SCHEMA, properties: { n: { type: 'number' } } })({ n: Infinity })).toHaveLength(1)
  })
})
