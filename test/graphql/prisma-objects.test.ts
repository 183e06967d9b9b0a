import { GraphQLObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { graphqlSchema } from '../../src/graphql/schema.ts'

/** Columns that leave the database for the service's own use only. A sign-in link has no other id than its hash. */
const SECRET = ['hash', 'passwordHash', 'sealed', 'signature', 'body']
const EXCEPT = ['SignInLink hash']

describe('types over tables', () => {
  const types = Object.values(graphqlSchema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      type instanceof GraphQLObjectType && type.extensions.pothosPrismaModel !== undefined,
  )

  test('are Prisma objects', () => {
    expect(types.map(({ name }) => name).sort()).toEqual([
      'Account',
      'AccountVoice',
      'ApiKey',
      'Artifact',
      'AuditEntry',
      'CreditEntry',
      'EngineMinute',
      'Lexicon',
      'Me',
      'Project',
      'ProjectVersion',
      'Session',
      'SignInLink',
      'User',
      'Webhook',
      'WebhookAttempt',
      'WebhookDelivery',
      'WebhookSecret',
      'Worker',
    ])
  })

  test.each(types)('$name selects no secret column, and no field of it does', (type) => {
    const selections = [type, ...Object.values(type.getFields())].map(({ extensions }) => extensions.pothosPrismaSelect)
    const columns = selections.flatMap((selection) => (typeof selection === 'object' ? Object.keys(selection!) : []))
    expect(columns).not.toEqual([])
    const secret = columns.filter((column) => SECRET.includes(column))
    expect(secret.filter((column) => !EXCEPT.includes(`${type.name} ${column}`))).toEqual([])
  })

  test('no type looks at its rows to tell what they are', () => {
    expect(types.filter(({ isTypeOf }) => isTypeOf != null)).toEqual([])
  })
})
