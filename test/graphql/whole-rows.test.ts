import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import { defaultFieldResolver, GraphQLObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import type PrismaTypes from '../../prisma/generated/pothos.ts'
import { getDatamodel } from '../../prisma/generated/pothos.ts'
import { buildGraphqlSchema } from '../../src/graphql/schema.ts'
import { WHOLE_ROWS } from '../../src/graphql/whole-rows.ts'
import { USER_VIEW } from '../../src/users/user.ts'

/** Columns that leave the database for the service's own use only. */
const SECRET = ['hash', 'passwordHash', 'sealed', 'signature', 'body']

describe('types over tables', () => {
  const types = Object.values(buildGraphqlSchema().getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      type instanceof GraphQLObjectType && type.extensions.pothosPrismaModel !== undefined,
  )

  test('the plain tables are shown as Prisma knows them', () => {
    expect(types.map(({ name }) => name).sort()).toEqual([
      'Account',
      'AccountVoice',
      'ApiKey',
      'Artifact',
      'CreditEntry',
      'User',
      'Worker',
    ])
  })

  test.each(types)('$name selects no secret column', ({ extensions }) => {
    const selected = Object.keys(extensions.pothosPrismaSelect as object)
    expect(selected).not.toEqual([])
    expect(selected.filter((column) => SECRET.includes(column))).toEqual([])
  })

  test.each(types)('a row of $name is not read a second time for the columns that it shows', (type) => {
    const fields = Object.values(type.getFields())
    const shown = fields.filter(({ extensions }) => extensions.pothosPrismaVariant !== undefined)
    expect(shown).not.toEqual([])
    for (const { name, extensions, resolve = defaultFieldResolver } of shown) {
      const row = { [extensions.pothosPrismaVariant as string]: name }
      // Nothing to ask a database with.
      expect(resolve(row, {}, undefined, { fieldName: name } as never)).toBe(name)
    }
  })

  test('relations are taken from the row that the verb has read, and never read for themselves', () => {
    const fields = types.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
    const related = fields.filter(({ field }) => field.extensions.pothosPrismaSelect !== undefined)
    expect(related.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual(['ApiKey.createdBy'])
    for (const { type, field } of related) {
      const take = (row: object) =>
        field.resolve!(row, {}, undefined, { parentType: type, fieldName: field.name } as never)
      expect(take({ [field.name]: 'of the row' })).toBe('of the row')
      expect(take({ [field.name]: null })).toBeNull()
      expect(() => take({})).toThrow(`${type.name}.${field.name} was not read with its row`)
    }
  })

  test('no type looks at its rows to tell what they are', () => {
    expect(types.filter(({ isTypeOf }) => isTypeOf != null)).toEqual([])
  })

  test('a schema that exposes a column which its type does not select is not built', () => {
    const builder = new SchemaBuilder<{ PrismaTypes: PrismaTypes }>({
      plugins: [WHOLE_ROWS, PrismaPlugin],
      prisma: { client: {} as never, dmmf: getDatamodel() },
    })
    const UserRef = builder.prismaObject('User', {
      select: USER_VIEW,
      fields: (t) => ({ email: t.exposeString('email'), hash: t.exposeString('passwordHash') }),
    })
    builder.queryType({ fields: (t) => ({ me: t.field({ type: UserRef, nullable: true, resolve: () => null }) }) })
    expect(() => builder.toSchema()).toThrow('User.hash exposes "passwordHash", which its select leaves out')
  })
})
