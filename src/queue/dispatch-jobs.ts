import { setTimeout as wait } from 'node:timers/promises'
import { messageSpan } from '../telemetry/span-names.ts'
import { inConsumerSpan } from '../telemetry/spans.ts'
import { inLogScope } from '../values/log-scope.ts'
import { DispatchCapacity } from './dispatch-capacity.ts'
import type { Dispatcher, DispatchOptions } from './dispatcher.ts'
import { countIn, type Delivery, type JobSource, type Room, type Taken } from './job-source.ts'
import { ABORT_CHANNEL } from './pgboss/boss-queue.ts'
import { QUEUE_CHANNEL } from './pgboss/enqueue.ts'
import { fairSource } from './pgboss/fair-source.ts'
import { keyedSource } from './pgboss/keyed-source.ts'
import { type RunningJob, RunningJobs, Settlement, type Settler, settleInBatches } from './running-jobs.ts'
import { NotSoon, Stopping } from './stopping.ts'

const HEARTBEAT_MS = 3000
/** One fetch then fills several free slots. */
const SPACING_MS = 10

const FRESH = { isParked: false, isHeard: false }

/** Keeps this process's slots full. pg-boss's own `work()` would sleep between jobs. */
export async function dispatchJobs(options: DispatchOptions): Promise<Dispatcher> {
  const dispatcher = new JobDispatcher(options)
  await dispatcher.start()
  return dispatcher
}

class JobDispatcher implements Dispatcher {
  readonly #options: DispatchOptions
  readonly #settler: Settler
  readonly #running: RunningJobs
  readonly #capacity: DispatchCapacity
  readonly #source: JobSource
  readonly #settlement: Settlement
  readonly #pace = new BacklogPace()
  #heartbeats: NodeJS.Timeout | undefined
  #hasFailed = false
  #stopWaking = (): void => undefined
  #stopCancelling = (): void => undefined
  #fetching = false
  #again = false
  #stopping = false
  #filled: Promise<void> = Promise.resolve()

  constructor(options: DispatchOptions) {
    this.#options = options
    this.#settler = settleInBatches(options.boss, options.kind.queue, options.log)
    this.#running = new RunningJobs({ ...options, settler: this.#settler })
    this.#capacity = new DispatchCapacity(options, this.#running.byDelivery)
    const [{ limiter }, { rooms }] = [options, this.#capacity]
    this.#settlement = new Settlement({ ...options, settler: this.#settler, isStopping: () => this.#stopping })
    this.#source = limiter ? keyedSource({ ...options, limiter }) : fairSource({ ...options, rooms })
  }

  async start(): Promise<void> {
    const { queue, notifier, kind, serverQueues, gate } = this.#options
    const [invalidate, heartbeat] = [() => this.#invalidate(), () => void this.#running.heartbeat()]
    await queue.prepare(kind)
    const unlisten = await notifier.listen(QUEUE_CHANNEL, (name) => name === kind.queue && invalidate(), invalidate)
    this.#stopCancelling = await notifier.listen(ABORT_CHANNEL, (jobId) => void this.#running.cancel(jobId), heartbeat)
    const removeLocal = queue.addLocalWorker(kind, { wake: () => this.#wakeHere() })
    const unwatch = queue.watchDue(kind, { onDue: invalidate, isDue: () => this.#hasFailed })
    const leaveGate = gate?.onOpen(invalidate) ?? (() => undefined)
    this.#stopWaking = () => {
      for (const end of [unwatch, removeLocal, unlisten, leaveGate]) end()
    }
    serverQueues?.watch(() => this.poll())
    this.#heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    this.poll()
  }

  get inFlight(): number {
    return [...this.#running.byDelivery.values()].filter(
      ({ ticket, isParked }) => ticket?.isWaiting !== true && !isParked,
    ).length
  }

  poll(): void {
    if (this.#fetching) this.#again = true
    else this.#filled = inLogScope({}, () => this.#fill())
  }

  leaveServers(): void {
    this.#running.leaveServers()
  }

  leaveServer(server: string, reason: Error): void {
    this.#running.leaveServer(server, reason)
  }

  async stop(graceMs: number): Promise<void> {
    const jobs = this.#running.byDelivery
    this.#stopping = true
    this.#stopWaking()
    for (const { ticket, isParked, controller } of jobs.values())
      if (ticket?.isWaiting || isParked) controller.abort(new NotSoon())
    const ended = () => Promise.allSettled([...jobs.values()].map(({ done }) => done))
    let timer: NodeJS.Timeout | undefined
    // A claim under way may still bring jobs.
    await Promise.race([this.#filled.then(ended), new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))])
    clearTimeout(timer)
    for (const { controller } of jobs.values()) controller.abort(new Stopping())
    await ended()
    this.#stopCancelling()
    clearInterval(this.#heartbeats)
    await this.#settler.flushed()
  }

  #invalidate(): void {
    this.#source.invalidate?.()
    this.poll()
  }

  /** Returns whether this dispatcher takes the job that its process queued. */
  #wakeHere(): boolean {
    this.#invalidate()
    return !this.#stopping && this.#capacity.isOpen()
  }

  async #fill(): Promise<void> {
    const { log, kind } = this.#options
    this.#fetching = true
    try {
      do {
        this.#again = false
        await this.#pace.due()
        const rooms = this.#capacity.rooms()
        if (this.#stopping || rooms.every(({ free }) => free <= 0)) break
        await this.#take(rooms)
        this.#hasFailed = false
      } while (this.#again)
    } catch (error) {
      log.warn({ err: (error as Error).message, queue: kind.queue }, 'the queue could not be read; trying again')
      // A fetch with a lost answer may have taken jobs.
      this.#hasFailed = true
    } finally {
      this.#fetching = false
    }
  }

  async #take(rooms: readonly Room[]): Promise<void> {
    const free = rooms.reduce((sum, room) => sum + room.free, 0)
    const { deliveries, more } = await this.#pace.fetched(rooms, () => this.#source.take(free, this.#running.ids()))
    const unclaimed = this.#stopping ? deliveries.filter(({ claimed }) => claimed === undefined) : []
    for (const delivery of deliveries) if (!unclaimed.includes(delivery)) this.#begin(delivery)
    await this.#settlement.release(unclaimed)
    if (more) this.#again = true
  }

  #begin(delivery: Delivery): void {
    const jobs = this.#running.byDelivery
    const controller = new AbortController()
    const ticket = this.#options.serverQueues
      ?.at(delivery.server ?? '', delivery.isAwaited === true)
      ?.join(controller.signal)
    const job: RunningJob = { delivery, controller, ticket, done: Promise.resolve(), cancelled: false, ...FRESH }
    const earlier = jobs.get(delivery.id)
    jobs.set(delivery.id, job)
    const ended = this.#run(job).finally(() => {
      if (jobs.get(delivery.id) === job) jobs.delete(delivery.id)
      const hasCapacity = job.ticket === undefined || job.ticket.close()
      if (this.#source.left(delivery, hasCapacity ? this.#capacity.free() : 0)) this.poll()
    })
    if (this.#stopping) controller.abort(new NotSoon())
    // The queue has delivered the job again while it runs here.
    earlier?.controller.abort(new Error('the job was delivered again'))
    job.done = Promise.all([ended, earlier?.done]).then(() => undefined)
  }

  #park(job: RunningJob): void {
    if (job.isParked) return
    job.isParked = true
    job.ticket?.close()
    job.ticket = undefined
    if (this.#stopping) job.controller.abort(new NotSoon())
    else this.poll()
  }

  #share(job: RunningJob): void {
    if (job.isHeard) return
    job.isHeard = true
    if (job.ticket === undefined && !job.isParked) this.poll()
  }

  #run(job: RunningJob): Promise<void> {
    const { requestId, trace } = job.delivery.origin ?? {}
    const span = () => messageSpan('process', this.#options.kind.queue, job.delivery.jobId)
    const { delivery, controller, ticket } = job
    const place = { park: () => this.#park(job), share: () => this.#share(job) }
    const handle = () => this.#options.handle(delivery.jobId, controller.signal, delivery, ticket, place)
    return inLogScope({ ...(requestId !== undefined && { requestId }) }, () =>
      this.#settlement.settle(job, () => inConsumerSpan(span, trace, handle)),
    )
  }
}

class BacklogPace {
  #next = 0

  async due(): Promise<void> {
    const rest = this.#next - performance.now()
    if (rest > 0) await wait(rest)
  }

  /** A fetch that fills a room, or finds it full, may have left others. */
  async fetched(rooms: readonly Room[], fetch: () => Promise<Taken>): Promise<Taken> {
    const begun = performance.now()
    const taken = await fetch()
    const isFull = rooms.some((room) => countIn(room, taken.deliveries) >= room.free)
    this.#next = isFull ? begun + SPACING_MS : 0
    return taken
  }
}
