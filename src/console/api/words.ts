import type { Violation } from './api-error.ts'

/** Words for programs: fields, operations, paths, HTTP verbs and parts of a request. An operator writes keywords of an input's schema, so these stay. */
const FOR_PROGRAMS =
  /\b(?!additionalProperties|maxLength|minLength|maxItems|minItems|multipleOf|oneOf|anyOf|allOf)[a-z]+[A-Z]\w*|(?:^|[\s(])\/\w|`|\bschema\b|\bdetails\b|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE)\b|\b(?:api|webhook|job|media|chat|ref|audio|x-request)[_-](?:key|url|id|text|sample|kind)\b|\bAPI key\b|\bAuthorization\b|\bheaders?\b|\b[KM]iB\b|\bJSON\b|\bMIGRATE\b|\bsubscription\b|^Send |^Invalid |\bcontent-\w+/

/** Sentences of the service that the console replaces with its own. */
const OWN: readonly (readonly [sentence: RegExp, own: string])[] = [
  [/^Send the password that you sign in with/, 'That is not your password.'],
  [/with completePerson/, 'You have no password yet: choose your first one under Profile.'],
  [/with changePassword/, 'You have a password already: change it under Profile.'],
  [/with reauthenticate/, 'That needs your password again.'],
  [/https:\/\/ address/, 'Give a public https address.'],
  [
    /contact support with its (?:job_)?id/,
    'Something went wrong in the service: submit the job again, then tell your operator the id of the job.',
  ],
]

/** The sentence for each error code, where the service's own is for programs. */
const BY_CODE: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Your session has ended: sign in again.',
  FORBIDDEN: 'You may not do that: an owner of the account or its operator may.',
  NOT_FOUND: 'It is not there, or not there any more.',
  GONE: 'It was deleted.',
  IDEMPOTENCY_IN_PROGRESS: 'The same is still under way: try again in a moment.',
  IDEMPOTENCY_MISMATCH: 'Something else was sent under the same name before: load the page again.',
  JOB_UNFINISHED: 'The job has not ended yet: try again in a moment.',
  METHOD_NOT_ALLOWED: 'This page is older than the service: load it again.',
  UNSUPPORTED_MEDIA_TYPE: 'This page is older than the service: load it again.',
  PAYLOAD_TOO_LARGE: 'That is larger than the service takes at once.',
  INTERNAL_ERROR: 'Something went wrong in the service: try again, then tell your operator the number of the request.',
  UNAVAILABLE: 'The service is not ready for that: try again in a moment.',
  RATE_LIMITED: 'That was asked for too often.',
}
const CORRECT = 'Correct what does not fit:'
const REFUSED = 'The service does not take that as it is: change it and try again.'

/** A number that stands for an amount, of more than three digits: no part of a name, an address or a time. */
const LARGE_NUMBER = /(?<![\w.:/"#-])\d{4,}(?![\w:/"-]|\.\d)/g
/** `/ids/0`: whole ones count from 0. */
const INDEX = /^\d+$/

/** Labels of fields whose names do not say what they are. */
const LABELS: Readonly<Record<string, string>> = {
  alias: 'Spoken as',
  amount: 'Credits',
  audio_sample: 'Recording',
  consent: 'How the speaker has agreed',
  createdAt: 'Time',
  currentPassword: 'Current password',
  email: 'E-mail address',
  grapheme: 'Word',
  idPrefix: 'Search',
  ids: 'Selected',
  jobId: 'Job',
  newPassword: 'New password',
  ref_text: 'Transcript',
  url: 'URL',
  webhook_url: 'Webhook URL',
}

/** A refusal of the service in words for whoever is at the console: no name of a field, a path or an operation is in it. */
export function sentenceOf(code: string, message: string, details: readonly Violation[] = []): string {
  const own = OWN.find(([sentence]) => sentence.test(message))?.[1]
  if (own !== undefined) return own
  if (!FOR_PROGRAMS.test(message)) return grouped(message)
  return BY_CODE[code] ?? (details.length > 0 ? CORRECT : REFUSED)
}

/** The remark beside a field that does not fit. */
export const remarkOf = (message: string): string => (FOR_PROGRAMS.test(message) ? 'does not fit' : grouped(message))

/** The label of the field at a path: `/inputs/text` is Text. */
export function labelOf(path: string): string {
  const names = path
    .split(/[/.]/)
    .filter((name) => name !== '' && !['inputs', 'input', 'filter', 'options', 'variables'].includes(name))
  return names.length === 0 ? 'The request' : names.map(wordsOf).join(' › ')
}

function wordsOf(name: string): string {
  if (INDEX.test(name)) return String(Number(name) + 1)
  const words = name.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return LABELS[name] ?? words.replace(/^\w/, (first) => first.toUpperCase())
}

const grouped = (message: string): string =>
  message.replace(LARGE_NUMBER, (digits) => Number(digits).toLocaleString('en'))
