import { expect, test } from 'vitest'
import { exampleInputs } from '../../../src/console/playground/example-inputs.ts'
import { formFields } from '../../../src/console/playground/form-fields.ts'

test('an example has every input that is required, and its name where anything but a switch is to be filled in', () => {
  const properties = {
    text: { type: 'string', maxLength: 100 },
    voice: { type: 'string', enum: ['aria', 'noah'] },
    pace: { type: 'number', minimum: 0.5 },
    seed: { type: 'integer', default: 7 },
    live: { type: 'boolean' },
    mix: { type: ['object', 'array'] },
    style_instruction: { type: 'string' },
  }
  const required = Object.keys(properties).filter((name) => name !== 'style_instruction')
  expect(exampleInputs(formFields({ properties: { inputs: { properties, required } } }))).toEqual({
    text: 'TEXT',
    voice: 'VOICE',
    pace: 'PACE',
    seed: 'SEED',
    live: false,
    mix: 'MIX',
  })
})
