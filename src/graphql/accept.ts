export const EVENT_STREAM = 'text/event-stream'
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json', EVENT_STREAM, 'multipart/mixed']

/**
 * Whether an Accept header takes one of these. Yoga itself would find out when the operation is done: a key made, a job charged, a
 * subscription open, and no word of it.
 */
export const accepts = (header: string | null | undefined, types: readonly string[]): boolean =>
  !header ||
  header
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [asked = '', ...parameters] = range.split(';').map((part) => part.trim())
      const isOurs = types.some((type) => ['*/*', type, type.replace(/[^/]+$/, '*')].includes(asked))
      return isOurs && !parameters.some((one) => /^charset=(?!utf-8$)|^q=0(\.0*)?$/.test(one))
    })
