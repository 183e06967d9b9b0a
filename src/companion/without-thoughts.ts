/** The tags that models write around their thoughts, in any case, with attributes of limited length. */
const TAG = /<(\/?)[ \t]*(?:think|thinking|thought|reasoning)(?:\s[^<>]{0,100})?>/gi

/** Only these tags occur without their beginning; others may be part of an answer about XML. */
const STRAY = /think/i

/**
 * A reply without what its model thought before it: blocks of `<think>` and the like, one in another and one that never closes as well.
 * Some servers open the first block themselves, so that a reply has only its end.
 */
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
