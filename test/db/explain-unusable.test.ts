import { describe, expect, test } from 'vitest'
import { explainUnusable } from '../../src/db/external-database.ts'

const URL = 'postgresql://sonant:hunter2@db.example.org:5433/voices?sslmode=require'
const failing = (fields: object, message: string) => Object.assign(new Error(message), fields)

describe('what is said of a database that cannot be used', () => {
  test.each([
    ['one address', failing({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED 10.0.0.1:5433')],
    [
      'several addresses',
      Object.assign(new AggregateError([new Error('connect ECONNREFUSED 10.0.0.1:5433')]), { code: 'ECONNREFUSED' }),
    ],
  ])('names the variable, the database and the reason, and no password: %s', (_how, error) => {
    expect(explainUnusable(error, URL)).toMatchObject({
      code: 'UNAVAILABLE',
      message:
        'Check DATABASE_URL: the database db.example.org:5433/voices cannot be used (connect ECONNREFUSED 10.0.0.1:5433).',
    })
  })

  test('is nothing where something else is wrong', () => {
    const error = failing({ code: '42P07' }, 'relation "job" already exists')
    expect(explainUnusable(error, URL)).toBe(error)
  })
})
