-- CreateTable
CREATE TABLE "lexicon" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "entries" JSON NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lexicon_pkey" PRIMARY KEY ("account_id")
);

-- AddForeignKey
ALTER TABLE "lexicon" ADD CONSTRAINT "lexicon_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "voice_endpoint" ADD COLUMN "markup" TEXT;
