import { type DocumentNode, GraphQLError } from 'graphql'
import { MAX_LINES, MAX_TOKENS } from './limits.ts'

interface ParseLimits {
  readonly maxTokens: number
  readonly noLocation: boolean
}

/** A document with too many lines gets violations without locations, because graphql counts lines anew for each. @throws GraphQLError */
export function parseWithin(parse: (limits: ParseLimits) => DocumentNode, text: string): DocumentNode {
  const noLocation = hasTooManyLines(text)
  try {
    return parse({ maxTokens: MAX_TOKENS, noLocation })
  } catch (error) {
    throw noLocation && error instanceof GraphQLError ? new GraphQLError(error.message) : error
  }
}

function hasTooManyLines(text: string): boolean {
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === 10 || code === 13) && ++lines > MAX_LINES) return true
  }
  return false
}
