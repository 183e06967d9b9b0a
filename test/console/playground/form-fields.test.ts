import { describe, expect, test } from 'vitest'
import { characters, formFields, inputsOf, valuesOf } from '../../../src/console/playground/form-fields.ts'

const inputs = {
  type: 'object',
  required: ['text'],
  properties: {
    speed: { type: 'number', minimum: 0.5, maximum: 2 },
    loud: { type: 'boolean' },
    language: { type: 'string', enum: ['auto', 'German'] },
    tags: { type: 'array' },
    text: { type: 'string', maxLength: 10_000, description: 'What is spoken.' },
  },
}
const fields = formFields({ properties: { inputs } })

describe('the form of a JSON Schema', () => {
  test('asks for what is required first, each input by the control of its type', () => {
    expect(fields.map(({ name, control }) => [name, control.kind])).toEqual([
      ['text', 'text'],
      ['speed', 'number'],
      ['loud', 'switch'],
      ['language', 'choice'],
      ['tags', 'json'],
    ])
    expect(fields[0]).toMatchObject({
      title: 'Text',
      hint: 'What is spoken.',
      isRequired: true,
      control: { isLong: true },
    })
  })

  test('sends values of their types, and nothing for what is empty', () => {
    const values = { text: 'Hello', speed: '1.5', loud: true, language: '', tags: '["a"]' }
    expect(inputsOf(fields, values)).toEqual({ text: 'Hello', speed: 1.5, loud: true, tags: ['a'] })
    expect(() => inputsOf(fields, { tags: '[' })).toThrow(
      expect.objectContaining({ details: [{ path: '/inputs/tags', message: 'This is not valid JSON.' }] }),
    )
  })

  test('offers the examples of the schema, and styles where it has none', () => {
    const texts = {
      style_instruction: { type: 'string' },
      pace: { type: 'string', maxLength: 4, examples: ['slow', 2, 'slower'] },
      mood: { type: 'string', enum: ['calm'], examples: ['calm'] },
    }
    const offered = formFields({ properties: texts }).map(({ examples }) => examples)
    expect(offered).toEqual([expect.arrayContaining(['Whispering']), ['slow'], []])
    expect(fields.map(({ examples }) => examples)).toEqual([[], [], [], [], []])
  })

  test('knows the defaults of the schema as a form holds values', () => {
    const properties = {
      pace: { default: 1.5 },
      warm: { default: true },
      mood: { default: 'calm' },
      tags: { default: [1] },
    }
    const found = formFields({ properties }).map(({ fallback }) => fallback)
    expect(found).toEqual(['1.5', true, 'calm', '[1]'])
    expect(fields.map(({ fallback }) => fallback)).toEqual(Array(5).fill(undefined))
  })

  test('is made of a schema of inputs alone, and of none', () => {
    expect([formFields(inputs).length, formFields(null)]).toEqual([5, []])
  })
})

test('characters are code points, as they are charged', () => {
  expect(['', 'abc', '👋🏽', 'é'].map(characters)).toEqual([0, 3, 2, 1])
})

test('inputs that were sent fill the form, which sends them again as they were', () => {
  const sent = { text: 'Hello.', speed: 1.5, loud: false, language: 'German', tags: ['a', 'b'] }
  expect(inputsOf(fields, valuesOf(sent))).toEqual(sent)
})
