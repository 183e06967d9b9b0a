import { ServiceError } from '../../errors/service-error.ts'

/** One migration in place of 44, from FIRST_REPLACED to LAST_REPLACED. */
const WHOLE_SCHEMA = '20261129000000_whole_schema'
const FIRST_REPLACED = '20261120000000_create_base'
export const LAST_REPLACED = '20261128210000_public_ids'
const COUNT_REPLACED = 44

interface Row {
  readonly name: string
  readonly checksum: string | null
  readonly state: string
}

/**
 * Reads the rows of the replaced migrations as one of the whole schema.
 * @throws ServiceError UNAVAILABLE if only some of them are applied
 */
export function adoptRows<R extends Row>(rows: readonly R[]): (R | (R & { readonly checksum: null }))[] {
  const others = rows.filter(({ name }) => !isReplaced(name))
  // An older program that somebody starts on a newer database leaves a failed row there.
  if (others.some(({ name }) => name === WHOLE_SCHEMA)) return others
  const replaced = rows.filter(({ name, state }) => isReplaced(name) && state !== 'rolled back')
  const [first] = replaced
  if (first === undefined) return others
  const applied = replaced.filter(({ state }) => state === 'applied').map(({ name }) => name)
  if (isWhole(applied)) return [{ ...first, state: 'applied', name: WHOLE_SCHEMA, checksum: null }, ...others]
  throw new ServiceError(
    'UNAVAILABLE',
    `The database has some of the migrations that are one by now: start the version that knows ${LAST_REPLACED} once, then this one.`,
  )
}

/** Null if the names include only some of the replaced migrations. */
export function adoptNames(names: readonly string[]): string[] | null {
  const others = names.filter((name) => !isReplaced(name))
  if (others.length === names.length) return others
  return isWhole(names) ? [WHOLE_SCHEMA, ...others] : null
}

const isWhole = (names: readonly string[]): boolean => new Set(names.filter(isReplaced)).size === COUNT_REPLACED

const isReplaced = (name: string): boolean => name >= FIRST_REPLACED && name <= LAST_REPLACED
