import SchemaBuilder, {
  BasePlugin,
  type BuildCache,
  type PothosOutputFieldConfig,
  PothosSchemaError,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'

/**
 * Verbs load rows, not selections of fields: a row holds every column of its type's `select`. Pothos's Prisma plugin would not believe
 * that of a row which it has not loaded itself, and read it again for each field that exposes one; and it would read a column that the
 * `select` leaves out, a hash for instance, just because some field exposes it. So: exposed columns are taken from the row as they are,
 * and one that is not selected is a violation of the schema. Relations are taken from the row as well: the verb that found it has read
 * those that the query asks for (`relationsOf`), and the plugin, which would read any other one past the verb's checks, is not asked.
 */
class WholeRows<Types extends SchemaTypes> extends BasePlugin<Types> {
  constructor(cache: BuildCache<Types>) {
    super(cache, WHOLE_ROWS)
  }

  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const column = field.extensions?.pothosPrismaVariant
    if (field.kind !== 'PrismaObject' || typeof column !== 'string') return field
    const type = this.buildCache.getTypeConfig(field.parentType)
    const selected = type.extensions?.pothosPrismaSelect as Record<string, unknown> | undefined
    if (selected?.[column] !== true) {
      throw new PothosSchemaError(`${field.parentType}.${field.name} exposes "${column}", which its select leaves out`)
    }
    return { ...field, extensions: { ...field.extensions, pothosPrismaSelect: undefined } }
  }

  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (field.kind !== 'PrismaObject' || field.extensions?.pothosPrismaSelect === undefined) return resolver
    return (row, _args, _context, { parentType, fieldName }) => {
      const related = (row as Record<string, unknown>)[fieldName]
      if (related === undefined) throw new Error(`${parentType.name}.${fieldName} was not read with its row`)
      return related
    }
  }
}

/** Its name among the plugins of a builder. Comes before Prisma's. */
export const WHOLE_ROWS = 'wholeRows'

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      wholeRows: WholeRows<Types>
    }
  }
}

SchemaBuilder.registerPlugin(WHOLE_ROWS, WholeRows)
