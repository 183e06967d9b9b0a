import { invalidRequest } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import type { PageInput } from './page.ts'

/** Rows with sequence numbers, which would reveal other accounts' activity. */
type Numbered = 'entry' | 'audit' | 'secret'

const NUMBER = /_(0|[1-9]\d{0,17})$/

export const publicIdOf = (
  prefix: Numbered,
  { id, publicId }: { readonly id: bigint; readonly publicId: string | null },
): string => publicId ?? `${prefix}_${id}`

export function wherePublicId(prefix: Numbered, text: string): { publicId: string | null; id?: bigint } | null {
  if (isId(prefix, text)) return { publicId: text }
  const number = text.startsWith(`${prefix}_`) ? NUMBER.exec(text.slice(prefix.length))?.[1] : undefined
  return number === undefined ? null : { publicId: null, id: BigInt(number) }
}

/**
 * A page whose cursors stand for row numbers.
 * @param numberOf returns null if there is no such row
 * @throws INVALID_REQUEST if a cursor names no row
 */
export async function numberedPage<Input extends PageInput>(
  input: Input,
  numberOf: (cursor: string) => Promise<bigint | null>,
): Promise<Input> {
  const numbered = async (path: '/after' | '/before', cursor: string | null | undefined) => {
    if (cursor == null) return cursor
    const number = await numberOf(cursor)
    if (number === null)
      throw invalidRequest('Invalid arguments: see `details`.', [{ path, message: 'must be a cursor' }])
    return String(number)
  }
  return {
    ...input,
    after: await numbered('/after', input.after),
    before: await numbered('/before', input.before),
  }
}
