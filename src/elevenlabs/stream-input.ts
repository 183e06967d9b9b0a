import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, callerOf, type KeyActor } from '../access/actor.ts'
import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import type { CallerWatch } from '../callers/caller-watch.ts'
import { Tally } from '../concurrency/tally.ts'
import { describeError } from '../errors/describe-error.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { openSocketCount } from '../graphql/subscriptions/connect-socket.ts'
import { keepSocketAlive } from '../http/web-sockets.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'
import { toElevenlabsError } from './elevenlabs-error.ts'
import { LiveContext } from './live-context.ts'
import { sendElevenlabsError } from './mount-elevenlabs.ts'
import { readElevenlabsRequest } from './speech.ts'

const MOST_CONTEXTS = 20
const MOST_CONTEXTS_PER_KEY = 1000
const MOST_WAITING_MESSAGES = 64
const MAX_ID_CHARACTERS = 100
const UNKNOWN_MS = 10_000
const [USUAL_TIMEOUT_SECONDS, LONGEST_TIMEOUT_SECONDS] = [20, 180]
const USUAL_CONTEXT = 'default'
const [NORMAL, WRONG_DATA, REFUSED, INTERNAL, TRY_LATER] = [1000, 1003, 1008, 1011, 1013]
const TEXT_IS_OVER = 'Open another connection for this text: the one of this connection is over.'
const KEY_HEADER = 'xi-api-key'
const BEARER = /^Bearer +(\S+) *$/i

type WebSocket = Parameters<typeof keepSocketAlive>[0]
type Message = Readonly<Record<string, unknown>>

interface StreamParts {
  readonly as: (actor: Actor) => ServiceContext
  /** Counts a request of the key. @throws UNAUTHORIZED, RATE_LIMITED, UNAVAILABLE */
  readonly identify: (key: string | undefined) => Promise<KeyActor>
  readonly callers: CallerWatch
}

/** Serves `/stream-input` and `/multi-stream-input` below `/v1/text-to-speech/{voice_id}`. */
export function mountStreamInput(scope: FastifyInstance, parts: StreamParts): void {
  const sockets = openSocketCount()
  const contexts = new Tally()
  const drops = new Set<Promise<void>>()
  scope.addHook('onClose', async () => void (await Promise.all(drops)))
  for (const isMulti of [false, true])
    scope.route({
      method: 'GET',
      url: `/v1/text-to-speech/:voice_id/${isMulti ? 'multi-' : ''}stream-input`,
      handler: (request, reply) =>
        sendElevenlabsError(
          request,
          reply,
          invalidRequest('Open this address as a WebSocket, as RFC 6455 describes it.'),
        ),
      wsHandler: (socket, request) => {
        if (sockets.open(socket, request.ip))
          new InputSocket({ ...parts, sockets, contexts, drops }, socket, request, isMulti)
        else socket.close(TRY_LATER, 'Too many connections')
      },
    })
}

interface SocketParts extends StreamParts {
  readonly sockets: ReturnType<typeof openSocketCount>
  readonly contexts: Tally
  /** Cuts that are not written yet. */
  readonly drops: Set<Promise<void>>
}

interface OpenContext {
  readonly id: string
  readonly live: LiveContext
  idle: NodeJS.Timeout | undefined
  /** No more text comes. */
  isOver: boolean
}

class InputSocket {
  readonly #parts: SocketParts
  readonly #socket: WebSocket
  readonly #request: FastifyRequest
  readonly #isMulti: boolean
  /** Those that are not spoken to their end. */
  readonly #contexts = new Set<OpenContext>()
  #key: string | undefined
  #actor: KeyActor | null = null
  #idle: NodeJS.Timeout
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(parts: SocketParts, socket: WebSocket, request: FastifyRequest, isMulti: boolean) {
    this.#parts = parts
    this.#socket = socket
    this.#request = request
    this.#isMulti = isMulti
    this.#idle = setTimeout(() => this.#fail(timeout(UNKNOWN_MS / 1000)), UNKNOWN_MS)
    const stopPinging = keepSocketAlive(socket)
    socket.on('error', () => undefined)
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#take(data, isBinary))
    socket.once('close', () => {
      stopPinging()
      clearTimeout(this.#idle)
      this.#dropAll()
    })
    // Its key is looked up while the first text is on its way.
    if (request.headers[KEY_HEADER]) this.#inTurn(() => this.#authenticate({}))
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (!this.#isOpen) return
    const message = isBinary ? null : readMessage(data)
    if (message === null)
      return void this.#fail(badMessage('Send each message as a JSON object.'), isBinary ? WRONG_DATA : REFUSED)
    this.#inTurn(() => this.#handle(message))
    if (this.#waiting > MOST_WAITING_MESSAGES) this.#socket.pause()
  }

  #inTurn(work: () => Promise<void>): void {
    this.#waiting++
    this.#last = this.#last
      .then(() => (this.#isOpen ? work() : undefined))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (--this.#waiting <= MOST_WAITING_MESSAGES && this.#socket.isPaused) this.#socket.resume()
      })
  }

  async #handle(message: Message): Promise<void> {
    await this.#authenticate(message)
    const id = this.#isMulti ? contextIdOf(message) : USUAL_CONTEXT
    const { text = null } = message
    if (text !== null && typeof text !== 'string') throw badMessage('Send text as a string.')
    if (message.clear === true) return this.#clear(id)
    await this.#hear(id, message, text)
    if (message.close_socket === true) await this.#finishAll()
  }

  async #hear(id: string, message: Message, text: string | null): Promise<void> {
    const isEnd = message.close_context === true || (!this.#isMulti && text === '')
    let open = this.#writable(id)
    if (open === undefined && !this.#isMulti && this.#contexts.size > 0)
      return text ? this.#tell(this.#shown(badMessage(TEXT_IS_OVER)).message) : undefined
    try {
      if (open === undefined && text && message.close_socket !== true) open = await this.#start(id, message)
      if (open !== undefined && text) await open.live.add(text, message.flush === true)
      else if (message.flush === true) await open?.live.add('', true)
      if (open !== undefined) this.#watchIdle(open)
      if (isEnd && message.close_socket !== true) await this.#end(open)
    } catch (error) {
      await this.#failContext(id, error, open)
    }
  }

  #writable(id: string): OpenContext | undefined {
    return [...this.#contexts].find((one) => one.id === id && !one.isOver)
  }

  async #authenticate(message: Message): Promise<void> {
    if (this.#actor !== null) return
    const { headers } = this.#request
    const sent = [headers[KEY_HEADER], message.xi_api_key].find((key) => typeof key === 'string' && key !== '')
    const bearer = [headers.authorization, message.authorization].find((one) => typeof one === 'string')
    this.#key = typeof sent === 'string' ? sent : BEARER.exec(String(bearer))?.[1]
    const actor = await this.#parts.identify(this.#key)
    requireScope(this.#parts.as(actor), VOICE_SCOPE)
    if (!this.#isOpen) return
    if (!this.#parts.sockets.add(this.#socket, actor)) throw tooMany('connections')
    const unwatch = this.#parts.callers.watch(actor, [VOICE_SCOPE], (error) => this.#fail(error))
    this.#socket.once('close', unwatch)
    this.#actor = actor
    this.#watchSocketIdle()
  }

  async #start(id: string, message: Message): Promise<OpenContext | undefined> {
    const { contexts, as, identify } = this.#parts
    const caller = callerOf(this.#actor as KeyActor)
    if (this.#contexts.size >= MOST_CONTEXTS || contexts.of(caller) >= MOST_CONTEXTS_PER_KEY) throw tooMany('contexts')
    const release = contexts.add(caller)
    try {
      const ctx = as(await identify(this.#key))
      const wanted = await wantedIn(ctx, this.#request, message)
      if (!this.#isOpen) return void release()
      const query = this.#request.query as Message
      const send = (answer: object) => this.#send(this.#isMulti ? { ...answer, contextId: id } : answer)
      const live = new LiveContext(ctx, { wanted, isAuto: query.auto_mode === 'true', send })
      const open: OpenContext = { id, live, idle: undefined, isOver: false }
      this.#contexts.add(open)
      void live.done
        .catch((error: unknown) => this.#failContext(id, error, open))
        .finally(() => {
          release()
          this.#forget(open)
        })
      return open
    } catch (error) {
      release()
      throw error
    }
  }

  #forget(open: OpenContext): void {
    this.#takeNoMore(open)
    this.#contexts.delete(open)
    if (!this.#isMulti && this.#contexts.size === 0) this.#finish()
  }

  /** More text of its name begins another context. */
  #takeNoMore(open: OpenContext): void {
    open.isOver = true
    clearTimeout(open.idle)
  }

  /** The worker speaks the rest of the text. */
  async #end(open: OpenContext | undefined): Promise<void> {
    if (open === undefined) return this.#isMulti ? undefined : this.#finish()
    this.#takeNoMore(open)
    await open.live.end()
  }

  /** A context that gets no text for long is spoken to its end. */
  #watchIdle(open: OpenContext): void {
    clearTimeout(open.idle)
    const seconds = timeoutOf(this.#request)
    if (open.isOver) return
    const end = (): void => void this.#end(open).catch((error: unknown) => this.#failContext(open.id, error, open))
    open.idle = setTimeout(end, seconds * 1000)
    this.#watchSocketIdle()
  }

  #watchSocketIdle(): void {
    clearTimeout(this.#idle)
    const seconds = timeoutOf(this.#request)
    this.#idle = setTimeout(() => {
      if (this.#contexts.size > 0) this.#watchSocketIdle()
      else this.#fail(timeout(seconds))
    }, seconds * 1000)
  }

  /** Listeners interrupt also a text that is written to its end. */
  async #clear(id: string): Promise<void> {
    const open = this.#writable(id) ?? [...this.#contexts].findLast((one) => one.id === id)
    if (open === undefined) return
    this.#takeNoMore(open)
    await this.#drop(open)
  }

  /** The context drops audio that was not sent. Never rejects. */
  #drop(open: OpenContext): Promise<void> {
    const { drops } = this.#parts
    const dropped = open.live.drop().finally(() => drops.delete(dropped))
    drops.add(dropped)
    return dropped
  }

  #dropAll(): void {
    for (const open of this.#contexts) void this.#drop(open)
  }

  /** A failure of one text reaches this by its message and by its speech, and is told once. */
  async #failContext(id: string, error: unknown, open?: OpenContext): Promise<void> {
    if (!this.#isMulti) return this.#fail(error)
    if (!this.#isOpen || (open !== undefined && !this.#contexts.delete(open))) return
    await this.#tell({ ...this.#shown(error).message, contextId: id })
    if (open === undefined) return
    this.#takeNoMore(open)
    await this.#drop(open)
  }

  async #finishAll(): Promise<void> {
    for (const open of this.#contexts)
      await this.#end(open).catch((error: unknown) => this.#failContext(open.id, error, open))
    void Promise.allSettled([...this.#contexts].map(({ live }) => live.done)).then(() => this.#finish())
  }

  #finish(): void {
    if (this.#isOpen) this.#socket.close(NORMAL)
  }

  #fail(error: unknown, closeCode?: number): void {
    if (!this.#isOpen) return
    const { message, code } = this.#shown(error, closeCode)
    this.#socket.send(JSON.stringify(message))
    this.#socket.close(code, String(message.error).slice(0, MAX_ID_CHARACTERS))
    this.#dropAll()
  }

  #shown(error: unknown, closeCode?: number) {
    const { detail, httpStatus, errorCode } = toElevenlabsError(error)
    const log = this.#parts.as({ kind: 'anonymous' }).log
    if (errorCode === 'INTERNAL_ERROR') log.error(describeError(error), 'a WebSocket failed')
    const isBusy = httpStatus === 429 || httpStatus === 503
    const code = closeCode ?? (errorCode === 'INTERNAL_ERROR' ? INTERNAL : isBusy ? TRY_LATER : REFUSED)
    const { status, message } = 'status' in detail ? detail : { status: 'invalid_request', message: detail[0]?.msg }
    return { code, message: { message, error: status, code } }
  }

  async #tell(message: object): Promise<void> {
    await this.#send(message).catch(() => undefined)
  }

  /** Resolves once the message has left this process, so that a slow reader holds up its own speech. @throws Error once it closes */
  #send(message: object): Promise<void> {
    if (!this.#isOpen) return Promise.reject(new Error('the connection is closed'))
    return new Promise((resolve, reject) =>
      this.#socket.send(JSON.stringify(message), (error) => (error == null ? resolve() : reject(error))),
    )
  }
}

const timeout = (seconds: number): SpeechViolation =>
  new SpeechViolation(
    'text',
    `No text came for ${seconds} s. Send text, or an empty one to end the speech.`,
    'input_timeout_exceeded',
  )

const badMessage = (message: string): SpeechViolation => new SpeechViolation('message', message)

const tooMany = (what: string): ServiceError =>
  new ServiceError('RATE_LIMITED', `Close other ${what} first: there are too many of them.`, { retryAfterSeconds: 1 })

function readMessage(data: Buffer): Message | null {
  try {
    const message: unknown = JSON.parse(String(data))
    return message !== null && typeof message === 'object' && !Array.isArray(message) ? (message as Message) : null
  } catch {
    return null
  }
}

function contextIdOf({ context_id: id = USUAL_CONTEXT }: Message): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS) return id
  throw badMessage(`Send context_id as a string of 1 to ${MAX_ID_CHARACTERS} characters.`)
}

/** @throws SpeechViolation */
function timeoutOf({ query }: FastifyRequest): number {
  const seconds = Number((query as Message).inactivity_timeout ?? USUAL_TIMEOUT_SECONDS)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_TIMEOUT_SECONDS) return seconds
  throw new SpeechViolation('inactivity_timeout', `Send inactivity_timeout as 1 to ${LONGEST_TIMEOUT_SECONDS} seconds.`)
}

/** The wishes in the address and the first message of a text. @throws SpeechViolation */
async function wantedIn(ctx: ServiceContext, { params, query: sent }: FastifyRequest, message: Message) {
  const query = sent as Message
  timeoutOf({ query } as FastifyRequest)
  const { model_id, language_code, seed, apply_text_normalization } = query
  const { voice_settings } = message
  const wanted = await readElevenlabsRequest(ctx, {
    voiceId: (params as { readonly voice_id: string }).voice_id,
    body: { text: ' ', model_id, language_code, seed, apply_text_normalization, voice_settings },
    query,
    idempotencyKey: undefined,
  })
  if (wanted.file.format === 'wav')
    throw new SpeechViolation(
      'output_format',
      'A WebSocket sends pcm, ulaw, alaw, mp3 or opus: choose one as output_format.',
    )
  if (query.enable_ssml_parsing !== 'true') return wanted
  return { ...wanted, submission: { ...wanted.submission, markup: 'ssml' as const } }
}
