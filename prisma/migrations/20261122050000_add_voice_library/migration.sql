-- CreateTable
CREATE TABLE "account_voice" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "storage_key" TEXT COLLATE "C" NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "transcript" TEXT,
    "language" TEXT,
    "consent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ready_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_voice_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_voice_storage_key_key" ON "account_voice"("storage_key");

-- CreateIndex
CREATE UNIQUE INDEX "account_voice_account_id_name_key" ON "account_voice"("account_id", "name");

-- AddForeignKey
ALTER TABLE "account_voice" ADD CONSTRAINT "account_voice_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "voice_endpoint" ADD COLUMN "library_voices" BOOLEAN NOT NULL DEFAULT false;
