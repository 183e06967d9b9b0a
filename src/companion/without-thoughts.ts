const TAG = /<(\/?)[ \t]*(?:think|thinking|thought|reasoning)(?:\s[^<>]{0,100})?>/gi

/** Other tags may belong to an answer about XML. */
const STRAY = /think/i

/** Some servers open the first block themselves. */
export function withoutThoughts(reply: string): string {
  let [said, depth, from] = ['', 0, 0]
  for (const { 0: tag, 1: slash, index } of reply.matchAll(TAG)) {
    if (depth === 0) said += reply.slice(from, index)
    from = index + tag.length
    if (slash === '') depth++
    else if (depth > 0) depth--
    else if (STRAY.test(tag)) said = ''
    else from = index
  }
  return depth === 0 ? said + reply.slice(from) : said
}
