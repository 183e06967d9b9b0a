import { describe, expect, test, vi } from 'vitest'
import { checkInputs, compileInputs } from '../../src/catalog/validate-inputs.ts'

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

  test('items are compared in one pass, by what they hold', () => {
    const validate = compileInputs({ ...SCHEMA, properties: { list: { type: 'array', uniqueItems: true } } })
    const list = Array.from({ length: 20_000 }, (_, at) => ({ at, other: at }))
    const before = process.threadCpuUsage()
    expect(validate({ list })).toEqual([])
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1000)
    const message = 'must NOT have duplicate items (items ## 1 and 2 are identical)'
    expect(validate({ list: [{ a: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }] })).toEqual([{ path: '/inputs/list', message }])
    expect(validate({ list: [1, '1', true, null, [1], ['1']] })).toEqual([])
    const any = compileInputs({ ...SCHEMA, properties: { list: { type: 'array', uniqueItems: false } } })
    expect(any({ list: [1, 1] })).toEqual([])
  })

  test('a format that is not known is an annotation, and nothing is printed of it', () => {
    const warn = vi.spyOn(console, 'warn')
    const schema = { ...SCHEMA, properties: { text: { type: 'string', format: 'multi-line' } } }
    checkInputs(schema)
    expect(compileInputs(schema)({ text: 'x' })).toEqual([])
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  test('one in good order does its work', () => {
    expect(compileInputs(SCHEMA)({ text: 5 })).toEqual([{ path: '/inputs/text', message: 'must be string' }])
    expect(compileInputs({ ...SCHEMA, properties: { n: { type: 'number' } } })({ n: Infinity })).toHaveLength(1)
  })
})
